"""Cases of compiled/: programs that healc instruments, run healed or beside the original.

The files of a case (see run.py for the notation) are originals. A line that ends in
`#@name` can be named: {{@name}} is "path:LINE", as heal.py's keys say it.

    #! versions <=3.12     (also `>=3.8`)
    #! healc ARGUMENTS     (once for each way to instrument; default: one, without arguments)
    #! run armed disarmed fallback   (default: armed if there is a heal.py, else the others)
    #! same                (stdout, stderr and exit code are those of the original program,
                            but for lines' numbers and texts in tracebacks)
    #! exit 1              (the exit code, without `same`)

`fallback` runs without the runtime: the folder is deleted. The log names sites by `name`.
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, 'compiled')
RUNTIME = os.path.join(HERE, '..', '..', 'src', 'runtime', '_eh_runtime')
NAME = re.compile(r'#@(\w+)$')
FRAME = re.compile(r'([ |]*)File ".*", line \d+')
SPECIAL = 'stdout', 'stderr', 'log', 'heal.py'


def plain(text):
    """A program's output without what instrumenting may change in tracebacks."""
    out, prefix = [], None
    for line in text.split('\n'):
        if prefix is not None and line.startswith(prefix) and not FRAME.match(line):
            continue  # the text of a source line, or marks below it
        frame = FRAME.match(line)
        prefix = frame.group(1) + '  ' if frame else None
        out.append(re.sub(r'(?<=\bline )\d+|(?<= at )0x[0-9a-f]+', 'N', line))
    return '\n'.join(out)


class Compiled:
    """One case and its overlays, which are made once for all interpreters."""

    def __init__(self, name, parse, healc, work):
        self.name = name
        options, files = parse(os.path.join(CASES, name))
        self.versions = [o for o in options if o[0] == 'versions']
        self.expected = {n: files.pop(n) for n in ('stdout', 'stderr', 'log') if n in files}
        self.heal = files.pop('heal.py', None)
        self.files = files
        self.healc, self.work = healc, os.path.join(work, name)
        self.ways = [o[1].split() if len(o) > 1 else [] for o in options if o[0] == 'healc'] or [[]]
        runs = [o[1].split() for o in options if o[0] == 'run']
        self.runs = runs[0] if runs else ['armed'] if self.heal else ['disarmed', 'fallback']
        self.same = ['same'] in options
        self.exit = int(dict(o for o in options if len(o) == 2).get('exit', 0))
        self.places = {}
        for path, text in files.items():
            for number, line in enumerate(text.split('\n'), 1):
                found = NAME.search(line)
                if found:
                    assert found.group(1) not in self.places.values(), (name, found.group(1))
                    self.places['%s:%d' % (path, number)] = found.group(1)
        self.lock = threading.Lock()
        self.problem = None
        self.made = False

    def make(self):
        with self.lock:
            if self.made:
                return self.problem
            self.made = True
            source = os.path.join(self.work, 'original')
            for path, text in self.files.items():
                target = os.path.join(source, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, 'w', encoding='utf-8') as file:
                    file.write(text)
            for i, way in enumerate(self.ways):
                overlay = os.path.join(self.work, 'overlay%d' % i)
                done = subprocess.run(
                    [self.healc, 'instrument', source, '-o', overlay, '--full', '--strict',
                     '--isolated', *way], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, universal_newlines=True)
                if done.returncode:
                    self.problem = done.stdout
                    return self.problem
                for folder, _, _ in os.walk(overlay):  # what the binary embeds may be older
                    if os.path.basename(folder) == '_eh_runtime':
                        shutil.rmtree(folder)
                        shutil.copytree(RUNTIME, folder,
                                        ignore=shutil.ignore_patterns('__pycache__'))
            return None

    def fill(self, text):
        where = {name: place for place, name in self.places.items()}
        return re.sub(r'{{@(\w+)}}', lambda m: where[m.group(1)], text)

    def start(self, python, program, how):
        """Output, errors, exit code and log of a run."""
        root = tempfile.mkdtemp(prefix='eh-')
        try:
            folder = os.path.join(root, 'program')
            shutil.copytree(program, folder, symlinks=True)
            env = {k: v for k, v in os.environ.items()
                   if not k.startswith(('PYTHON', 'EH_', 'PYENV'))}
            env.update(PYTHONHASHSEED='0', PYTHONDONTWRITEBYTECODE='1', HOW=how)
            log = os.path.join(root, 'log')
            if how == 'armed':
                script = os.path.join(root, 'heal.py')
                with open(script, 'w', encoding='utf-8') as file:
                    file.write(self.fill(self.heal))
                env.update(EH_MODE='script', EH_SCRIPT=script, EH_LOG=log)
            elif how == 'fallback':
                shutil.rmtree(os.path.join(folder, '_eh_runtime'))
            done = subprocess.run([python, os.path.join(folder, 'main.py')], env=env, cwd=root,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120)
            out, err = (b.decode('utf-8', 'replace').replace(root, '{root}')
                        for b in (done.stdout, done.stderr))
            if self.same:
                out, err = plain(out), plain(err)
            lines = ''
            if os.path.exists(log):
                with open(log, encoding='utf-8') as file:
                    for line in map(json.loads, file):
                        place = '%s:%d' % (line['path'], line['line'])
                        lines += '%s %s %s %s\n' % (self.places.get(place, place), line['action'],
                                                    line['exception'], line['error'] or '-')
            return out, err, done.returncode, lines
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def run(self, python):
        """None, or what is wrong."""
        problem = self.make()
        if problem:
            return problem
        try:
            if self.same:
                wanted = self.start(python, os.path.join(self.work, 'original'), 'original')[:3]
            else:
                wanted = (self.expected.get('stdout', 'ok\n'), self.expected.get('stderr', ''),
                          self.exit)
            problems = []
            for i, way in enumerate(self.ways):
                for how in self.runs:
                    got = self.start(python, os.path.join(self.work, 'overlay%d' % i), how)
                    for name, a, b in zip(('stdout', 'stderr', 'exit code'), wanted, got):
                        if a != b:
                            text = '%s instead of %s' % (b, a) if type(a) is int else '\n'.join(
                                difflib.unified_diff(a.split('\n'), b.split('\n'), 'expected',
                                                     'got', lineterm=''))
                            problems.append('%s %s %s: %s' % (' '.join(way), how, name, text))
                    log = self.expected.get('log')
                    if how == 'armed' and log is not None and got[3] != log:
                        problems.append('%s log:\n%s' % (' '.join(way), got[3]))
            return '\n'.join(problems) or None
        except Exception as error:
            return '%s: %s' % (type(error).__name__, error)


def load(parse, healc, work):
    return [Compiled(name, parse, healc, work) for name in sorted(os.listdir(CASES))
            if name.endswith('.case')]
