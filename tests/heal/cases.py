"""Heals real crashes of real releases, and lets them go on: python3.11 tests/heal/cases.py CASES CACHE

    cases.py CASES CACHE [ID ...] [--jobs N] [--healc PATH]

Each folder of CASES has a case.toml (package, releases, Python, where it crashes), a trigger.py and a
heal.py. The buggy release is installed into CACHE once. Then, with `healc run`:

- healed:     a pause each time at the recorded statement; a probe answers; heal.py is submitted and
              the trigger passes, as it does with the release that has the fix;
- re-raised:  everything that the trigger prints, its traceback too, is what the plain run prints;
- in overlay: the same two with rewritten files, the traceback led back by `healc traceback`.

Ends with `N passed, N failed`.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def interpreter(version):
    root = subprocess.run(['pyenv', 'root'], capture_output=True, text=True).stdout.strip()
    for python in sorted(Path(root, 'versions').glob(version + '.*/bin/python')):
        return str(python)
    found = shutil.which('python' + version)
    if not found:
        raise LookupError('no Python %s here' % version)
    return found


def install(python, target, requirements):
    if (target / '.done').exists():
        return
    shutil.rmtree(target, ignore_errors=True)
    done = subprocess.run(
        [python, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-compile',
         '--prefer-binary', '--target', str(target), *requirements], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError('pip: ' + done.stderr.strip())
    (target / '.done').write_text('')


class Case:
    def __init__(self, folder, cache, healc):
        self.folder, self.healc = folder, os.path.abspath(healc)
        self.data = tomllib.loads((folder / 'case.toml').read_text('utf-8'))
        self.python = interpreter(self.data['python'])
        self.target = cache / (self.data['id'] + '-buggy')
        self.place = Path(tempfile.mkdtemp(prefix='healc-case-'))
        self.faults = []

    def want(self, right, what):
        if not right:
            self.faults.append(str(what))

    def run(self, command, cwd=None, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
        env.update(PYTHONPATH=str(self.target), PYTHONDONTWRITEBYTECODE='1', MPLBACKEND='Agg',
                   EH_CACHE=str(self.place / 'cache'), **more)
        return subprocess.run(command, cwd=cwd or self.target, env=env, capture_output=True, text=True,
                              errors='replace', timeout=600)

    def check(self):
        requirements = ['%s==%s' % (self.data['package'], self.data['buggy']), *self.data.get('extra', [])]
        install(self.python, self.target, requirements)
        root = self.data['instrument']['import_root']
        trigger = [self.python, str(self.folder / 'trigger.py')]
        plain = self.run(trigger)
        self.want(plain.returncode == 1, 'the plain run does not crash')
        overlay = self.place / 'overlay'
        done = self.run([self.healc, 'instrument', str(self.target), root, '-o', str(overlay), '-q', '--full',
                         '--full-by', 'symlink'])
        self.want(done.returncode == 0, 'instrument: ' + done.stderr)
        answers = self.answers()
        for how in 'exact', 'overlay':
            self.healed(how, overlay, trigger, answers)
            self.reraised(how, overlay, trigger, plain)

    def answers(self):
        path = self.place / 'answers.toml'
        heal = (self.folder / 'heal.py').read_text('utf-8')
        path.write_text('[[answer]]\n[[answer.action]]\ncode = "print(5)"\n'
                        '[[answer.action]]\ncode = %s\nsubmit = true\n' % json.dumps(heal), 'utf-8')
        return path

    def attended(self, how, overlay, trigger, answers):
        """One run with a healing side: what it printed, and the record."""
        record = self.place / ('record-%s-%d' % (how, len(os.listdir(self.place))))
        common = ['--method', 'script', '--answers', str(answers)]
        if how == 'exact':
            done = self.run([self.healc, 'run', '--repo', str(self.target), '--overlay', str(overlay),
                             '--record', str(record), *common, '--', *trigger])
        else:
            done = self.run_overlay(overlay, trigger, record, common)
        with open(record / 'record.jsonl') as file:
            return done, [json.loads(line) for line in file]

    def run_overlay(self, overlay, trigger, record, common):
        path = record.with_suffix('.json')
        with open(os.devnull, 'w') as null:
            server = subprocess.Popen([self.healc, 'serve', str(self.target), '--connection', str(path),
                                       '--record', str(record)], stderr=null)
            while not path.exists() and server.poll() is None:
                pass
            agent = subprocess.Popen([self.healc, 'heal', '--connection', str(path), *common], stderr=null,
                                     stdout=null)
        try:
            env = json.loads(path.read_text())['environment']
            env['EH_REPO'] = str(self.target)
            trigger = [trigger[0], '-c', 'import sys; sys.path[0:0] = [%r]; sys.argv = [%r]; '
                       'import runpy; runpy.run_path(%r, run_name="__main__")' % (
                           str(overlay), trigger[1], trigger[1])]
            return self.run(trigger, **env)
        finally:
            server.terminate()
            server.wait()
            agent.terminate()
            agent.wait()

    def healed(self, how, overlay, trigger, answers):
        done, record = self.attended(how, overlay, trigger, answers)
        crashes = [entry['context'] for entry in record if entry['event'] == 'crash']
        results = [entry for entry in record if entry['event'] == 'result']
        said = '%s: ' % how
        self.want(done.returncode == 0, said + 'healed, it fails: ' + done.stderr[-600:])
        places = [(c['site']['path'], c['site']['line']) for c in crashes]
        crash = self.data['crash']
        self.want(set(places) == {(crash['file'], crash['line'])}, said + 'pauses at %s' % places)
        if not crashes or len(results) != 2 * len(crashes):
            self.want(False, said + 'results: %s' % results)
            return
        kind = crashes[0]['exception']['type']
        self.want(kind == self.data['exception']['type'].split('.')[-1], said + kind)
        message = self.data['exception'].get('message')
        if message:
            self.want(crashes[0]['exception']['message'] == message, said + crashes[0]['exception']['message'])
        statement = re.sub(r'\s+', ' ', crashes[0]['site']['statement'])
        self.want(re.sub(r'\s+', ' ', crash['statement'])[:40] in statement, said + statement)
        self.want('line %d, in %s\n' % (crash['traceback_line'], crash['function'])
                  in crashes[0]['traceback'], said + crashes[0]['traceback'])
        self.want(any(crash['statement'].split('\n')[0].strip()[:40] in frame['source']
                      for frame in crashes[0]['frames'][:1]), said + 'no source of the function')
        self.want(results[0]['error'] is None and results[0]['stdout'] == '5\n', said + 'probe: %s' % results[0])
        self.want(results[1]['state'] in ('resumed', 'returned'), said + 'submission: %s' % results[1])

    def reraised(self, how, overlay, trigger, plain):
        nothing = self.place / 'nothing.toml'
        nothing.write_text('')
        done, record = self.attended(how, overlay, trigger, nothing)
        ends = [entry['outcome'] for entry in record if entry['event'] == 'end']
        self.want(ends == ['reraised'], '%s: ends: %s' % (how, ends))
        err = re.split(r'healc: crashes\n', done.stderr)[0]
        right = plain.stderr
        if how == 'overlay':
            led = subprocess.run([self.healc, 'traceback', str(overlay)], input=err, capture_output=True,
                                 text=True)
            # What runpy and -c add is not the program's.
            err = led.stdout.replace(str(overlay), str(self.target))
            outer = r'  File "<(?:string|frozen runpy)>".*\n(?:    .*\n)*|  File "[^"]*runpy.py".*\n(?:    .*\n)*'
            err = re.sub(outer, '', err)
            err, right = (re.sub(r'\n +[~^]+(?=\n)', '', text) for text in (err, right))
        self.want((done.returncode, done.stdout, err) == (1, plain.stdout, right),
                  '%s: re-raised, it prints\n%s\ninstead of\n%s' % (how, err, right))


def check(folder, cache, healc):
    case = None
    try:
        case = Case(folder, cache, healc)
        case.check()
        return case.faults
    except Exception as error:
        return ['%s: %s' % (type(error).__name__, error)]
    finally:
        if case is not None:
            shutil.rmtree(case.place, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('cases', type=Path)
    parser.add_argument('cache', type=Path)
    parser.add_argument('ids', nargs='*')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--healc', default=str(ROOT / 'target' / 'release' / 'healc'))
    args = parser.parse_args()
    folders = sorted(p.parent for p in args.cases.resolve().glob('*/case.toml'))
    folders = [f for f in folders if not args.ids or f.name in args.ids]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for folder, faults in zip(folders, pool.map(lambda f: check(f, args.cache.resolve(), args.healc),
                                                    folders)):
            print('ok  ' if not faults else 'FAIL', folder.name, flush=True)
            for fault in faults:
                print('    ' + fault.replace('\n', '\n    '))
            failed += bool(faults)
    print('%d passed, %d failed' % (len(folders) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
