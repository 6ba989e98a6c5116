"""From nothing to a healed crash, with each method: python3.11 tests/heal/agents.py

`healc run --method M -- python app.py`, the model being a stub that says what it is told to. Always with
`healer`; with mini-SWE-agent and OpenHands if HEALC_AGENTS names an environment that has them; with Codex
if HEALC_CODEX names its command. Ends with `N passed, N failed`.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'serve'))
from model import Model
from side import HEALC

APP = '''\
class Order:
    def __init__(self, lines):
        self.lines = lines

    def total(self, prices):
        total = 0
        for name, count in self.lines:
            price = prices[name]
            total = total + price * count
        return total


print("total", Order([("tea", 2), ("milk", 1)]).total({"tea": 3}))
'''
PROBE = {'code': 'sorted(prices)', 'submit': False}
WRONG = {'code': 'price = prices[name]', 'submit': True}
GOOD = {'code': 'price = prices.get(name, 1)', 'submit': True}


def tools(*steps):
    return [{'tool': 'execute', 'arguments': step} for step in steps]


def say(code, submit):
    return {'text': json.dumps({'action': 'execute', 'code': code, 'submit': submit, 'reason': 'a price is missing'})}


HOME = os.environ.get('HEALC_AGENTS')
METHODS = {'healer': tools(WRONG, GOOD)}
if HOME:
    METHODS['mini-swe-agent'] = METHODS['openhands'] = tools(PROBE, WRONG, GOOD)
    if os.environ.get('HEALC_CODEX'):
        METHODS['codex'] = [say(**step) for step in (PROBE, WRONG, GOOD)]


def run(method, steps):
    with tempfile.TemporaryDirectory() as place, Model(steps) as model:
        source = os.path.join(place, 'source')
        os.mkdir(source)
        with open(os.path.join(source, 'app.py'), 'w') as file:
            file.write(APP)
        env = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
        env.update(EH_CACHE=os.path.join(place, 'cache'), OPENAI_API_KEY='none',
                   LITELLM_LOCAL_MODEL_COST_MAP='True', HOME=HOME or place)
        more = ['--agent-python', os.path.join(HOME, 'bin', 'python')] if HOME and method != 'healer' else []
        done = subprocess.run(
            [HEALC, 'run', '--method', method, '--model', 'stub', '--base-url', model.url, *more, '--',
             sys.executable, 'app.py'], cwd=source, env=env, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, 'total 7\n'), (done.returncode, done.stdout, done.stderr)
        assert 'app.py:8: KeyError: healed, went on after the statement' in done.stderr, done.stderr
        assert not model.steps
        return done.stderr.strip().split('\n')[-1]


def main():
    failed = 0
    for method, steps in METHODS.items():
        try:
            print('ok  ', method, run(method, steps), flush=True)
        except Exception as error:
            failed += 1
            print('FAIL', method, error, flush=True)
    print('%d passed, %d failed' % (len(METHODS) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
