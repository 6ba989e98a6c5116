"""Agents: scripts, replays, one structured answer of a model; other people's agents where they are.

Those of others run if $HEALC_AGENTS is set: the folder of a virtual environment with mini-swe-agent
and openhands-sdk, and $HEALC_CODEX, the path of codex.
"""
import json
import os
import subprocess
import tempfile
import time

from model import Model
from side import HEALC, Server
from test_server import background, execute, pause, records

GOOD = {'code': 'x = table.get(name, 0)', 'submit': True, 'reason': 'a default'}
FRAME = {'table': {'a': 1}, 'name': 'b'}


class Healer:
    """`healc heal` (or another command) that attends a server."""

    def __init__(self, server, *arguments, command='heal', **environment):
        self.process = subprocess.Popen(
            [HEALC, command, *arguments, '--connection', server.connection_file],
            stderr=subprocess.PIPE, text=True, env=dict(os.environ, **environment))

    def end(self, timeout=30):
        """After the server went: (exit code, what it said)."""
        said = self.process.communicate(timeout=timeout)[1]
        return self.process.returncode, said


def answers(text):
    file = tempfile.NamedTemporaryFile('w', suffix='.toml')
    file.write(text)
    file.flush()
    return file


def healed(steps, method='healer', namespace=FRAME, environment=None, wait=60, more=()):
    """Lets a model with these steps heal one crash: (state, namespace, model, actions)."""
    namespace = dict(namespace)
    with Model(steps) as model, Server() as server:
        healer = Healer(server, '--method', method, '--model', 'test', '--base-url', model.url,
                        *more, OPENAI_API_KEY='secret', **environment or {})
        crash, ended = pause(server, namespace)
        try:
            state = ended(wait)
        except BaseException:
            healer.process.kill()
            print(healer.end())
            raise
        shown = server.agent().get('/v1/agent/crashes/' + crash)[1]
        server.stop()
        code, said = healer.end()
        assert code == 0, said
    return state, namespace, model, shown['actions'], said


def test_script():
    file = answers('''
[[answer]]
at = "pkg/mod.py:2"
exception = "ValueError"
heal = "x = 1"
[[answer]]
at = "pkg/mod.py:2"
times = 1
[[answer.action]]
code = "sorted(table)"
[[answer.action]]
code = "x = table.get(name, 5)"
submit = true
''')
    with Server() as server:
        healer = Healer(server, '--method', 'script', '--answers', file.name)
        namespace = dict(FRAME)
        crash, ended = pause(server, namespace)
        assert ended() == 'resumed' and namespace['x'] == 5
        # The answer is used up: the exception goes on.
        crash, ended = pause(server, dict(FRAME))
        assert ended() == 'reraised'
        actions = server.agent().get('/v1/agent/crashes')[1]['crashes']
        assert [c['action_count'] for c in actions] == [2, 1]
        server.stop()
        code, said = healer.end()
    assert code == 0 and '2 crashes, 1 without an answer' in said, said
    assert 'pkg/mod.py:2: KeyError: healed' in said


def test_replay():
    with tempfile.TemporaryDirectory() as folder:
        with Server('--record', folder) as server:
            agent = server.agent()
            crash, ended = pause(server, dict(FRAME))
            execute(agent, crash, 'exit()')
            execute(agent, crash, 'sorted(table)')
            execute(agent, crash, 'x = table[name]', True)
            execute(agent, crash, GOOD['code'], True)
            ended()
            crash, ended = pause(server, dict(FRAME))
            agent.post('/v1/agent/crashes/%s/reraise' % crash)
            ended()
        with Server('--record', folder + '/again') as server:
            replay = Healer(server, folder, command='replay')
            namespace = dict(FRAME)
            crash, ended = pause(server, namespace)
            assert ended() == 'resumed' and namespace['x'] == 0
            crash, ended = pause(server, dict(FRAME))
            assert ended() == 'reraised'
            server.stop()
            code, said = replay.end()
        assert code == 0 and '0 results differ' in said, said
        kinds = [[line.get('code'), line.get('submit')] for line in records(folder)
                 if line['event'] == 'action' and line.get('code')]
        again = [[line.get('code'), line.get('submit')] for line in records(folder + '/again')
                 if line['event'] == 'action' and line.get('code')]
        assert kinds == again
        # Another program: what differs is said.
        with Server() as server:
            replay = Healer(server, folder, command='replay')
            crash, ended = pause(server, {'table': {'c': 1}, 'name': 'b'})
            ended()
            server.stop()
            code, said = replay.end()
        assert code == 1 and "['c']" in said, said


def test_healer_heals():
    state, namespace, model, actions, _ = healed([{'tool': 'execute', 'arguments': GOOD}])
    assert state == 'resumed' and namespace['x'] == 0
    asked = model.asked[0]
    assert asked['tool_choice'] == {'type': 'function', 'function': {'name': 'execute'}}
    assert asked['tools'][0]['function']['parameters']['properties']['submit']['enum'] == [True]
    text = json.dumps(asked['messages'])
    assert 'x = table[name]' in text and 'KeyError' in text
    assert actions[0]['tokens'] == {'input': 100, 'output': 10}
    assert (actions[0]['agent'], actions[0]['reason']) == ('healer', 'a default')


def test_healer_retries_with_the_error():
    state, namespace, model, actions, _ = healed([
        {'tool': 'execute', 'arguments': dict(GOOD, code='x = table[name]')},
        {'tool': 'execute', 'arguments': dict(GOOD, code='x = eval("1")')},
        {'tool': 'execute', 'arguments': GOOD}])
    assert state == 'resumed' and [a['result']['error'] and a['result']['error']['kind']
                                   for a in actions] == ['execution', 'gate', None]
    said = [m['content'] for m in model.asked[2]['messages'] if m['role'] == 'tool']
    assert 'KeyError' in said[0] and 'gate' in said[1] and 'instead' in said[1]


def test_healer_bears_with_a_model_that_misbehaves():
    state, namespace, model, actions, _ = healed([
        {'status': 429, 'after': 0}, {'status': 500}, {'raw': 'not json'},
        {'tool': 'execute', 'arguments_text': '{"code": "x = '},
        {'tool': 'rm', 'arguments': GOOD},
        {'text': 'I would say x = 0'},
        {'tool': 'execute', 'arguments': GOOD, 'finish': 'length'},
        {'tool': 'execute', 'arguments': GOOD, 'cut': True},
        {'tool': 'execute', 'arguments': GOOD}])
    assert state == 'resumed' and len(actions) == 1 and len(model.asked) == 9


def test_healer_gives_up():
    wrong = {'tool': 'execute', 'arguments': dict(GOOD, code='1 / 0')}
    state, _, model, actions, said = healed([wrong] * 9, more=['--attempts', '3'])
    assert state == 'reraised' and len(model.asked) == 3
    assert actions[-1]['reason'] == 'the model healed nothing in 3 attempts' and 're-raised' in said
    state, _, model, actions, _ = healed([{'status': 401}])
    assert state == 'reraised' and len(model.asked) == 1
    state, _, model, _, _ = healed([dict(wrong, slow=5)] * 4, more=['--model-seconds', '1'], wait=30)
    assert state == 'reraised'


def test_heal_arguments():
    def said(*arguments, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(('OPENAI', 'HEALC'))}
        ran = subprocess.run([HEALC, *arguments], capture_output=True, text=True, timeout=20,
                             env=dict(clean, **environment))
        return ran.returncode, ran.stderr
    assert said('heal')[0] == 2 and 'which method' in said('heal')[1]
    assert 'which answers' in said('heal', '--method', 'script')[1]
    assert 'which endpoint' in said('heal', '--method', 'healer')[1]
    assert 'which model' in said('heal', '--method', 'codex')[1]
    with answers('') as file:
        heal = ['heal', '--method', 'script', '--answers', file.name]
        assert 'which server' in said(*heal)[1]
        assert said(*heal, '--endpoint', 'http://127.0.0.1:9', HEALC_TOKEN='x')[0] == 2
        with Server() as server:
            code, text = said(*heal, '--endpoint', server.endpoint, HEALC_TOKEN='x')
            assert code == 2 and 'agent token' in text, text


# ------------------------------------------------------------------------------ agents of others

HOME = os.environ.get('HEALC_AGENTS')
PROBE = {'code': 'sorted(table)', 'submit': False}
OTHERS = {'HOME': HOME or '', 'LITELLM_LOCAL_MODEL_COST_MAP': 'True'}


def others(method, steps, **more):
    environment = dict(OTHERS)
    environment.update(more)
    python = os.path.join(HOME, 'bin', 'python')
    return healed(steps, method, environment=environment, wait=200,
                  more=['--agent-python', python])


def check(method, steps, faults):
    state, namespace, model, actions, said = others(method, steps)
    assert state == 'resumed' and namespace['x'] == 0, (state, said, actions)
    assert [a['submit'] for a in actions] == [False, True, True], actions
    assert actions[0]['agent'] == method and actions[0]['tokens']['input'] >= 100
    assert actions[1]['result']['error']['type'] == 'KeyError'
    state, _, model, actions, said = others(method, faults)
    assert state == 'resumed' and not model.steps, (state, said, len(model.steps), model.asked[-1])


def tools(*steps):
    return [{'tool': 'execute', 'arguments': step} for step in steps]


if HOME:
    CALLS = tools(PROBE, dict(GOOD, code='x = table[name]'), GOOD)
    FAULTS = [{'status': 429, 'after': 0}, {'status': 500},
              {'tool': 'execute', 'arguments_text': '{"code": "x = '},
              {'tool': 'rm', 'arguments': GOOD}, *tools(GOOD)]

    def test_mini_swe_agent():
        check('mini-swe-agent', CALLS, [{'text': 'hm'}, *FAULTS])
        state, _, _, actions, _ = others('mini-swe-agent', [
            {'tool': 'reraise', 'arguments': {'reason': 'right'}}])
        assert state == 'reraised' and actions[0]['reason'] == 'right'

    def test_openhands():
        check('openhands', CALLS, FAULTS)
        state, _, _, actions, _ = others('openhands', [
            {'text': 'hm'}, {'tool': 'reraise', 'arguments': {'reason': 'right'}}])
        assert state == 'reraised' and actions[0]['reason'] == 'right'

if HOME and os.environ.get('HEALC_CODEX'):
    def say(**action):
        return {'text': json.dumps(dict({'action': 'execute', 'code': '', 'submit': False,
                                         'reason': 'why'}, **action))}

    def test_codex():
        check('codex', [say(**PROBE), say(code='x = table[name]', submit=True), say(**GOOD)],
              [{'status': 500}, {'text': 'no json'}, say(action='search', code='x'),
               dict(say(**GOOD), cut=True), say(**GOOD)])
        state, _, _, actions, _ = others('codex', [say(action='reraise', reason='right')])
        assert state == 'reraised' and actions[0]['reason'] == 'right'
