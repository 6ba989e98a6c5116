"""`healc run` with a healing side: the environment, the report, the exit code.

The command here speaks the protocol itself; the runtime's own tests have it speak for real.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from side import HEALC, ROOT, Side
from test_agents import answers

PROGRAM = '''
import os, signal, sys
sys.path.insert(0, %r)
sys.dont_write_bytecode = True
from side import Execution
assert os.environ['EH_MODE'] == 'heal' and os.environ['EH_EXACT']
assert os.environ['EH_REQUEST_SECONDS'] == '300'
execution = Execution(os.environ['EH_ENDPOINT'], os.environ['EH_TOKEN'], os.environ['EH_SESSION'])
namespace = {'table': {}, 'name': 'b'}
with open('pid', 'w') as file:
    file.write(str(os.getpid()))
ended = execution.serve(execution.crash(namespace)[1]['crash'], namespace)
print(ended, namespace.get('x'))
if 'kill' in sys.argv:
    os.kill(os.getpid(), signal.SIGTERM)
sys.exit(7)
''' % os.path.dirname(os.path.abspath(__file__))


def folder():
    made = tempfile.TemporaryDirectory()
    with open(os.path.join(made.name, 'app.py'), 'w') as file:
        file.write(PROGRAM)
    return made


def start(place, *arguments, program=()):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
    environment['EH_CACHE'] = os.path.join(place, '.cache')
    return subprocess.Popen(
        [HEALC, 'run', *arguments, '--', sys.executable, 'app.py', *program], cwd=place, text=True,
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_run_heals_and_reports():
    with folder() as place, answers('[[answer]]\nheal = "x = 3"\n') as file:
        script = ['--method', 'script', '--answers', file.name]
        ran = start(place, *script, '--record', 'kept')
        out, err = ran.communicate(timeout=60)
        assert (ran.returncode, out) == (7, 'resumed 3\n'), (ran.returncode, out, err)
        assert 'pkg/mod.py:2: KeyError: healed, went on after the statement (1 action)' in err, err
        assert 'token' not in err
        assert os.path.exists(os.path.join(place, 'kept', 'record.jsonl'))
        ran = start(place, *script, program=['kill'])
        out, err = ran.communicate(timeout=60)
        assert ran.returncode == 128 + signal.SIGTERM, (ran.returncode, err)
        # Interrupts are the command's: it dies of them, and healc still reports.
        pid = os.path.join(place, 'pid')
        os.remove(pid)
        ran = start(place)
        until = time.time() + 30
        while not (os.path.exists(pid) and os.path.getsize(pid)):
            assert time.time() < until
            time.sleep(0.05)
        os.kill(ran.pid, signal.SIGINT)
        time.sleep(0.3)
        assert ran.poll() is None
        with open(pid) as file:
            os.kill(int(file.read()), signal.SIGINT)
        out, err = ran.communicate(timeout=60)
        assert ran.returncode in (1, 130) and 'KeyboardInterrupt' in err, (ran.returncode, err)


def test_run_without_a_method_waits_for_people():
    with folder() as place:
        ran = start(place)
        said = ran.stderr.readline()
        endpoint, token = re.search(r'(http://\S+)/#token=(\w+)', said).groups()
        agent = Side(endpoint, token)
        found = agent.get('/v1/agent/crashes?state=paused&wait=20')[1]['crashes']
        path = '/v1/agent/crashes/%s/execute' % found[0]['crash']
        assert agent.post(path, {'code': 'x = 4', 'submit': True})[1]['state'] == 'resumed'
        assert agent.get('/v1/agent/sessions/run/file?path=app.py')[0] == 200
        out, err = ran.communicate(timeout=60)
        assert (ran.returncode, out) == (7, 'resumed 4\n'), err
        assert 'healed' in err


def test_run_arguments():
    with folder() as place:
        ran = start(place, '--exact', '--method', 'script')
        assert ran.communicate(timeout=60)[1] and ran.returncode == 2
        ran = start(place, '--method', 'script', '--answers', 'none.toml')
        assert 'none.toml' in ran.communicate(timeout=60)[1] and ran.returncode == 2


def test_the_example_of_the_readme():
    """From nothing to a healed crash, as soon as the runtime has the execution side."""
    if not os.path.exists(os.path.join(ROOT, 'src', 'runtime', '_eh_runtime', '_heal.py')):
        return
    with open(os.path.join(ROOT, 'README.md')) as file:
        text = file.read().split('\n## Healing\n')[1]
    blocks = re.findall(r'```(\w+)\n(.*?)```', text, re.S)[:3]
    assert [kind for kind, _ in blocks] == ['python', 'toml', 'console']
    with tempfile.TemporaryDirectory() as place:
        for name, (_, block) in zip(['app.py', 'answers.toml'], blocks):
            # The first line names the file; it is not part of it.
            with open(os.path.join(place, name), 'w') as file:
                file.write(block)
        ran = start(place, '--method', 'script', '--answers', 'answers.toml')
        out, err = ran.communicate(timeout=120)
        expected = blocks[2][1].split('\n', 1)[1]
        assert out + err == expected and ran.returncode == 0, (out, err)
