"""Heals programs through a real `healc serve`: python3.11 tests/heal/run.py [-v] [-p 3.6,3.13] [WORD ...]

Each case of cases/ is a program (an instrumented overlay runs it) and what an agent answers. Its first
lines say so:

    #! versions <=3.12        (optional; also `>=3.8`)
    #! env NAME=value         (optional)
    #! code 1                 (optional: exit code, 0 if missing)
    #! stdout TEXT            (lines, in order; a program without any prints `ok`)
    #! stderr TEXT            (must be in it; else stderr is empty)

    #? crash TYPE LINE-MARK   (in the order of the pauses; LINE-MARK is a comment of that line)
    #? probe CODE -> EXPECTED
    #? heal CODE -> EXPECTED  (`;;` is a new line)
    #? reraise

EXPECTED is resumed, returned, `value TEXT`, `stdout TEXT`, or `error KIND TEXT`. Threads crash in any
order: `#? each` before a crash answers all that fit. What is not a program stands in special.py.

The binary is $HEALC, or target/release/healc. Ends with `N passed, N failed`.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'serve'))
from side import HEALC, Server

MINORS = range(6, 14)
SECONDS = '1'  # for probes and submissions


def interpreters(wanted=None):
    root = subprocess.run(['pyenv', 'root'], capture_output=True, text=True).stdout.strip()
    found = {}
    for minor in MINORS:
        if wanted and '3.%d' % minor not in wanted:
            continue
        folder = os.path.join(root, 'versions')
        for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
            python = os.path.join(folder, name, 'bin', 'python')
            if name.startswith('3.%d.' % minor) and os.path.exists(python):
                found[minor] = python
        if minor not in found and shutil.which('python3.%d' % minor):
            found[minor] = shutil.which('python3.%d' % minor)
    return found


class Case:
    def __init__(self, name, text):
        self.name, self.env, self.code, self.stdout, self.stderr = name, {}, 0, [], []
        self.versions, self.crashes = None, []
        self.lines = text.split('\n')
        for line in self.lines:
            kind, _, rest = line.partition(' ')
            if kind == '#!':
                what, _, rest = rest.partition(' ')
                if what == 'versions':
                    self.versions = rest
                elif what == 'env':
                    self.env.update([rest.split('=', 1)])
                elif what == 'code':
                    self.code = int(rest)
                else:
                    getattr(self, what).append(rest)
            elif kind == '#?':
                what, _, rest = rest.partition(' ')
                if what == 'crash':
                    self.crashes.append({'type': rest.split()[0], 'mark': rest.split(None, 1)[1],
                                         'each': False, 'actions': []})
                elif what == 'each':
                    each = dict(self.crashes[-1], each=True)
                    self.crashes[-1] = each
                else:
                    self.crashes[-1]['actions'].append((what,) + tuple(rest.split(' -> ')))

    def runs_on(self, minor):
        if not self.versions:
            return True
        bound = int(self.versions[4:])
        return minor <= bound if self.versions.startswith('<=') else minor >= bound

    def line_of(self, mark):
        return next(i for i, line in enumerate(self.lines, 1) if line.endswith('# ' + mark))


class Agent(threading.Thread):
    """Answers the crashes of one session."""

    def __init__(self, server, session, case):
        threading.Thread.__init__(self, daemon=True)
        self.side, self.session, self.case = server.agent(), session, case
        self.left, self.faults, self.over = list(case.crashes), [], threading.Event()

    def run(self):
        try:
            seen = set()
            while not self.over.is_set():
                path = '/v1/agent/crashes?state=paused&wait=1&session=' + self.session
                for crash in self.side.get(path)[1].get('crashes', ()):
                    if crash['crash'] not in seen:
                        seen.add(crash['crash'])
                        self.answer(crash['crash'])
        except Exception as error:
            self.faults.append('agent: %r' % error)

    def answer(self, crash):
        path = '/v1/agent/crashes/' + crash
        context = self.side.get(path)[1]
        context = context.get('context', context)
        plan = self.left[0] if self.left else None
        if plan is None:
            self.faults.append('one crash too many: %s' % context['traceback'])
            self.side.post(path + '/reraise')
            return
        if not plan['each']:
            self.left.pop(0)
        place = (context['exception']['type'], context['site']['line'])
        if place != (plan['type'], self.case.line_of(plan['mark'])):
            self.faults.append('crashes at %s, not %s %s\n%s' % (
                place, plan['type'], plan['mark'], context['traceback']))
        for action, *rest in plan['actions']:
            if action == 'reraise':
                self.side.post(path + '/reraise')
            elif action == 'context':
                if not re.search(rest[0], str(context), re.S):
                    self.faults.append('context: %s is not in %s' % (rest[0], context))
            else:
                status, result = self.side.post(path + '/execute', {
                    'code': rest[0].replace(';;', '\n'), 'submit': action == 'heal'})
                self.judge(rest, status, result)

    def judge(self, rest, status, result):
        error = result.get('error') or {}
        kind, _, text = rest[1].partition(' ')
        if kind in ('resumed', 'returned'):
            right = result.get('state') == kind
        elif kind == 'value':
            right = str(result.get('value')) == text and result.get('state') == 'paused'
        elif kind == 'stdout':
            right = result.get('stdout') == text + '\n'
        else:
            kind, _, text = text.partition(' ')
            right = error.get('kind') == kind and text in '%s: %s' % (error.get('type'), error.get('message'))
        if not right:
            self.faults.append('%s\n  expected %s\n  got %s %s' % (rest[0], rest[1], status, result))


def run(case, minor, python, overlay, server):
    session = '%s-%d' % (case.name, minor)
    agent = Agent(server, session, case)
    agent.start()
    env = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
    env.update(server.environment, EH_SESSION=session, EH_REPO=os.path.join(HERE, 'cases'),
               PYTHONDONTWRITEBYTECODE='1', **case.env)
    # Values that the server names come first otherwise.
    process = subprocess.Popen([python, '-W', 'ignore', os.path.join(overlay, case.name + '.py')], env=env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        agent.faults.append('hangs')
    agent.over.set()
    agent.join(10)
    faults = agent.faults
    if [crash for crash in agent.left if not crash['each']]:
        faults.append('crashes that did not come: %s' % agent.left)
    right = '\n'.join(case.stdout or ['ok']) + '\n'
    if (process.returncode, out) != (case.code, right):
        faults.append('exit code %s, stdout %r, not %r' % (process.returncode, out, right))
    for text in case.stderr:
        if text not in err:
            faults.append('not in stderr: %s' % text)
    if faults or err and not case.stderr:
        faults.append('stderr: ' + err)
    return faults


def main(arguments):
    verbose = '-v' in arguments
    wanted = None
    if '-p' in arguments:
        at = arguments.index('-p')
        wanted = arguments[at + 1].split(',')
        arguments = arguments[:at] + arguments[at + 2:]
    words = [word for word in arguments if word != '-v']
    cases = []
    for name in sorted(os.listdir(os.path.join(HERE, 'cases'))):
        if name.endswith('.py') and (not words or any(word in name for word in words)):
            with open(os.path.join(HERE, 'cases', name), encoding='utf-8') as file:
                cases.append(Case(name[:-3], file.read()))
    pythons = interpreters(wanted)
    import special
    more = [(name, test) for name, test in vars(special).items() if name.startswith('test_')
            and (not words or any(word in name for word in words))]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            Server('--any-session', '--probe-seconds', SECONDS, '--submit-seconds', SECONDS) as server:
        overlay = os.path.join(folder, 'overlay')
        for repo in 'cases', 'programs':
            subprocess.run([HEALC, 'instrument', os.path.join(HERE, repo), '-o',
                            os.path.join(folder, 'overlay' if repo == 'cases' else repo), '-q', '--full',
                            '--isolated'], check=True)
        jobs = []
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for case in cases:
                for minor, python in pythons.items():
                    if case.runs_on(minor):
                        jobs.append(('3.%d %s' % (minor, case.name),
                                     pool.submit(run, case, minor, python, overlay, server)))
            for name, test in more:
                for minor, python in pythons.items():
                    jobs.append(('3.%d %s' % (minor, name), pool.submit(
                        special.run, test, python, os.path.join(folder, 'programs'))))
            for name, job in jobs:
                faults = job.result()
                if faults:
                    failed += 1
                    print('FAIL %s\n    %s' % (name, '\n'.join(faults).replace('\n', '\n    ')), flush=True)
                else:
                    passed += 1
                    if verbose:
                        print('ok   ' + name, flush=True)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
