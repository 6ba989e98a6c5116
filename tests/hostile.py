#!/usr/bin/env python3
"""Hostile repositories: a clear error or a complete result, the old overlay whole, nothing else.

    tests/hostile.py [--count 200] [--seed 1] [--only KIND]

Each repository is a small sound one with something hostile done to it, to an overlay of it, or to the
run: odd names, links, special files, encodings, depth, size, foreign and damaged overlays, a full disk,
SIGKILL, two runs at once. After each run:

- the exit code is 0, 1 or 2, never 3, never a signal of healc's own; there is no panic; it ends in time
  and in bounded memory
- on 2, standard error is one line that names something, and an overlay that was there is as it was
- on 0 or 1, the overlay verifies, and the sound files run as the originals do
- the repository is as it was (in place: after `healc restore`), and nothing else was written

Kinds that need root (a full disk, another user) are left out without it, and said. Ends with
`N passed, N failed`.
"""
import argparse
import hashlib
import os
import random
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')
SOUND = {
    'main.py': 'from pkg import tool\n\nprint(tool.double(21))\n',
    'pkg/__init__.py': '',
    'pkg/tool.py': 'def double(x):\n    y = x + x\n    return y\n',
}
MEMORY = 4 << 30  # address space; workers reserve stacks of 256 MiB


def snapshot(folder):
    """Everything below a folder: kind, permissions and contents."""
    seen = {}
    for root, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(root, name)
            try:
                info = os.lstat(path)
                if stat.S_ISLNK(info.st_mode):
                    what = os.readlink(path)
                elif stat.S_ISREG(info.st_mode):
                    with open(path, 'rb') as file:
                        what = hashlib.sha256(file.read()).hexdigest()
                else:
                    what = ''
                seen[os.path.relpath(path, os.fsencode(folder))] = stat.S_IFMT(info.st_mode), info.st_mode & 0o777, what
            except OSError as error:
                seen[os.path.relpath(path, os.fsencode(folder))] = type(error).__name__
    return seen


class Attempt:
    """A repository, an overlay and what happens to them."""

    def __init__(self, base, rng):
        self.base, self.rng = Path(base), rng
        self.repo, self.out = self.base / 'repo', self.base / 'out'
        self.repo.mkdir()
        for name, text in SOUND.items():
            self.write(name, text.encode())
        self.sound = True  # whether the sound files are still to run
        self.arguments = []
        self.problems = []

    def write(self, name, data):
        path = self.repo / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def healc(self, *arguments, limit=True, **how):
        def limited():
            if limit:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        command = [HEALC, *map(os.fspath, arguments)]
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=120, preexec_fn=limited, **how)
        except subprocess.TimeoutExpired:
            self.problems.append('%s: no end after two minutes' % arguments[0])
            return subprocess.CompletedProcess(command, 2, b'', b'time-out')

    def instrument(self, *more):
        return self.healc('instrument', self.repo, '-o', self.out, '-j', '2', *self.arguments, *more)

    def first_run(self):
        """An overlay from before."""
        self.instrument('--full')

    def judge(self, run, before, repo_before):
        said = run.stderr.decode('utf-8', 'replace')
        if run.returncode not in (0, 1, 2):
            self.problems.append('exit code %d\n%s' % (run.returncode, said[-1500:]))
        if 'panicked' in said or 'internal' in said:
            self.problems.append('a fault of its own\n' + said[-1500:])
        if snapshot(self.repo) != repo_before:
            self.problems.append('the repository was changed')
        if run.returncode == 2:
            lines = said.strip().splitlines()
            if not lines or not lines[-1].startswith('healc: ') and not lines[-1].startswith('error: '):
                self.problems.append('no clear error\n' + said[-1500:])
            if before is not None and snapshot(self.out) != before:
                self.problems.append('the old overlay is not as it was')
            return
        self.check_overlay()

    def check_overlay(self):
        check = self.healc('verify', self.out)
        if check.returncode:
            self.problems.append('the overlay does not verify\n' + (check.stdout + check.stderr).decode('utf-8', 'replace')[-1500:])
        if self.sound:
            self.check_sound(self.out)

    def check_sound(self, folder):
        with tempfile.TemporaryDirectory(dir=self.base) as alone:
            for name in list(SOUND) + ['_eh_runtime']:
                source = folder / name
                if not source.exists():
                    source = self.repo / name
                target = Path(alone, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, target)
                elif source.exists():
                    shutil.copyfile(source, target)
            ran = subprocess.run([sys.executable, 'main.py'], cwd=alone, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            if ran.stdout != b'42\n':
                self.problems.append('the sound files do not run\n' + ran.stderr.decode('utf-8', 'replace')[-800:])

    def plain(self, *more):
        """The usual course: perhaps an overlay from before, then a run."""
        before = None
        if self.rng.random() < 0.5:
            self.first_run()
            before = snapshot(self.out) if self.out.exists() else None
        repo_before = snapshot(self.repo)
        self.judge(self.instrument(*more, *(['--full'] if self.rng.random() < 0.5 else [])), before, repo_before)


# --------------------------------------------------------------------------------------- kinds

def odd_names(a):
    names = [b'new\nline.py', b'tab\t.py', b'-dash.py', b' blank.py', b'trail .py', b'quote"\'.py', b'back\\slash.py',
             'ünï/cødé.py'.encode(), '\U0001f600.py'.encode(), b'per%cent.py', b'a' * 252 + b'.py', b'b' * 248 + b'.py',
             b'bad\xff\xfe.py', b'folder\xff/x.py', b'..py', b'...py', b'.py', b'con.py', b'star*.py', b'[set].py',
             b'#hash.py', b'$(x).py', b'Main.py', b'MAIN.PY', b'_eh_runtime.py', b'.healc.py', b'semi;colon.py']
    for name in a.rng.sample(names, 8):
        try:
            a.write(name, b'x = f(1)\n')
        except OSError:
            pass
    a.plain()


def names_of_ours(a):
    what = a.rng.choice(['_eh_runtime/__init__.py', '.healc/manifest.json', '.healc/sites/main.py.json', '_eh_runtime/x.py',
                         'pkg/_eh_runtime/__init__.py', '.out.healc-stage-1-00ff/main.py'])
    a.write(what, b'x = 1\n')
    a.plain()


def links(a):
    what = a.rng.choice(['loop', 'self', 'out', 'dangling', 'folder', 'chain', 'absolute', 'repo'])
    target = a.repo / 'link'
    if what == 'loop':
        (a.repo / 'x').mkdir()
        (a.repo / 'x/back').symlink_to('..')
    elif what == 'self':
        target.symlink_to('link')
    elif what == 'out':
        (a.base / 'elsewhere').mkdir()
        (a.base / 'elsewhere/secret.py').write_text('x = f(1)\n')
        target.symlink_to('../elsewhere')
    elif what == 'dangling':
        (a.repo / 'gone.py').symlink_to('nowhere.py')
    elif what == 'folder':
        target.symlink_to('pkg')
    elif what == 'chain':
        for i in range(50):
            (a.repo / ('l%d.py' % i)).symlink_to('l%d.py' % (i + 1))
    elif what == 'absolute':
        (a.repo / 'etc').symlink_to('/etc')
    else:
        real = a.base / 'real'
        a.repo.rename(real)
        a.repo.symlink_to('real')
    a.plain()


def special_files(a):
    for what in a.rng.sample(['fifo', 'socket', 'fifo.py', 'device'], 2):
        path = str(a.repo / ('special.' + what))
        try:
            if what.startswith('fifo'):
                os.mkfifo(path)
            elif what == 'socket':
                with socket.socket(socket.AF_UNIX) as one:
                    here = os.getcwd()
                    os.chdir(a.repo)
                    try:
                        one.bind('special.socket')
                    finally:
                        os.chdir(here)
            else:
                os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        except OSError:
            pass
    a.plain()


def encodings(a):
    text = 'x = "é€"; y = f(x)\n'
    kinds = [
        text.encode('utf-16'), b'\xff\xfe' + text.encode('utf-16-le'), b'# -*- coding: utf-16 -*-\nx = f(1)\n',
        b'# coding: latin-1\n' + text.encode('latin-1', 'replace'), b'# coding: utf-8\n' + b'x = "\xe9"; f(x)\n',
        b'\xef\xbb\xbf# coding: latin-1\nx = f(1)\n', b'# coding: nonsense\nx = f(1)\n', b'# coding: cp1252\nx = "\x93"; f(x)\n',
        b'# coding: rot13\nk = s(1)\n', b'# coding: idna\nx = f(1)\n', b'x = f(1)\0\n', b'\0\0\0\0', b'# coding: utf-7\nx = f(1)\n',
        b'# coding: shift_jis\nx = "\x83\x5c"; f(x)\n', b'# coding: big5\nx = "\xa6\x72"; f(x)\n', b'# coding: iso2022_jp\nx = f(1)\n',
        b'# coding: gb18030\nx = "\x81\x30\x81\x30"; f(x)\n', b'\xef\xbb\xbf\xef\xbb\xbfx = f(1)\n', b'# coding: base64\nx = f(1)\n',
        b'x = f(1)\r\ry = 2\r\n\n', b'\x0cx = f(1)\n\x0c', b'# vim: set fileencoding=euc-kr :\nx = "\xb0\xa1"; f(x)\n', b'x = f(1)\x1a\n']
    for i, data in enumerate(a.rng.sample(kinds, 6)):
        a.write('enc%d.py' % i, data)
    a.plain()


def depth(a):
    what = a.rng.choice(['folders', 'long path', 'brackets', 'blocks', 'indents', 'operators', 'elif', 'calls', 'strings', 'decorators'])
    n = a.rng.choice([30, 150, 2000, 20000])
    if what == 'folders':
        a.write('/'.join(['d'] * min(n, 400)) + '/x.py', b'x = f(1)\n')
    elif what == 'long path':
        here = os.getcwd()
        os.chdir(a.repo)
        try:
            for _ in range(40):
                os.mkdir('e' * 120)
                os.chdir('e' * 120)
            Path('deep.py').write_bytes(b'x = f(1)\n')
        finally:
            os.chdir(here)
    else:
        data = {
            'brackets': lambda: 'x = ' + '(' * n + '1' + ')' * n + '\n',
            'blocks': lambda: ''.join('%sif x:\n' % ('    ' * i) for i in range(min(n, 150))) + '    ' * min(n, 150) + 'f()\n',
            'indents': lambda: ''.join('%sdef f():\n' % (' ' * i) for i in range(min(n, 120))) + ' ' * min(n, 120) + 'f()\n',
            'operators': lambda: 'x = ' + ' + '.join(['1'] * n) + '\n',
            'elif': lambda: 'if x == 0: f()\n' + ''.join('elif x == %d: f()\n' % i for i in range(n)),
            'calls': lambda: 'x = f' + '(1)' * n + '\n',
            'strings': lambda: 'x = (' + ' "a"' * n + ')\n',
            'decorators': lambda: '@d\n' * n + 'def f(): return g()\n',
        }[what]()
        a.write('deep.py', data.encode())
    a.plain()


def size(a):
    what = a.rng.choice(['long line', 'many lines', 'big string', 'many files', 'empty', 'no final newline'])
    if what == 'long line':
        a.write('big.py', b'x = [' + b'f(1), ' * 1500000 + b']\n')
    elif what == 'many lines':
        a.write('big.py', b'x = f(1)\n' * 400000)
    elif what == 'big string':
        a.write('big.py', b'x = f("""' + b'a\n' * 15000000 + b'""")\n')
    elif what == 'many files':
        for i in range(3000):
            a.write('many/m%d.py' % i, b'x = f(1)\n')
    elif what == 'empty':
        for name in 'e1.py', 'e2.py':
            a.write(name, b'')
        a.write('blank.py', b'\n \n\t\n')
    else:
        a.write('end.py', b'if x:\n    f()\n    # comment')
    a.plain()


def syntax(a):
    words = ['def', 'f', '(', ')', ':', '\n', '    ', '\t', 'if', 'x', '=', '"', "'''", '\\', 'async', 'match', '@', 'lambda', '{', '}',
             'f"{', 'except', '*', 'yield', 'return', '#', ';', 'class', '\r', '\x0c', '0x', 'é', '\u200b', '`', '$', '?', '1e', '...']
    for i in range(6):
        a.write('s%d.py' % i, ' '.join(a.rng.choice(words) for _ in range(a.rng.randrange(200))).encode())
    a.plain()


def permissions(a):
    a.arguments = []
    what = a.rng.choice(['file', 'folder', 'executable', 'sticky', 'output', 'read-only file'])
    path = a.repo / 'pkg/secret.py'
    a.write('pkg/secret.py', b'x = f(1)\n')
    if what == 'file':
        path.chmod(0)
    elif what == 'folder':
        (a.repo / 'closed').mkdir()
        a.write('closed/x.py', b'x = f(1)\n')
        (a.repo / 'closed').chmod(0)
    elif what == 'executable':
        path.chmod(0o755)
    elif what == 'sticky':
        path.chmod(0o4755)
    elif what == 'read-only file':
        path.chmod(0o444)
    else:
        a.out.mkdir()
        a.out.chmod(0o555)
    a.plain()
    for folder in a.out, a.repo / 'closed':
        if folder.exists():
            folder.chmod(0o755)


def foreign_output(a):
    what = a.rng.choice(['file', 'foreign', 'inside', 'repo', 'around', 'link', 'dot', 'empty name'])
    repo_before = snapshot(a.repo)
    before = None
    out = a.out
    if what == 'file':
        a.out.write_text('mine')
    elif what == 'foreign':
        a.out.mkdir()
        (a.out / 'mine.txt').write_text('mine')
        before = snapshot(a.out)
    elif what == 'inside':
        out = a.repo / 'build_here'
    elif what == 'repo':
        out = a.repo
    elif what == 'around':
        out = a.base
    elif what == 'link':
        (a.base / 'target').mkdir()
        a.out.symlink_to('target')
    elif what == 'dot':
        out = a.repo / '..' / 'repo'
    else:
        out = Path('/proc/nothing/here')
    run = a.healc('instrument', a.repo, '-o', out)
    if run.returncode != 2:
        a.problems.append('%s: exit code %d' % (what, run.returncode))
    a.judge(subprocess.CompletedProcess([], 2, run.stdout, run.stderr), before, repo_before)


def damaged_overlay(a):
    a.first_run()
    files = sorted(path for path in a.out.rglob('*') if path.is_file())
    for path in a.rng.sample(files, min(3, len(files))):
        how = a.rng.choice(['cut', 'empty', 'garbage', 'gone', 'folder', 'link'])
        data = path.read_bytes()
        if how == 'cut':
            path.write_bytes(data[:a.rng.randrange(len(data) + 1)])
        elif how == 'empty':
            path.write_bytes(b'')
        elif how == 'garbage':
            path.write_bytes(a.rng.randbytes(100))
        else:
            path.unlink()
            if how == 'folder':
                path.mkdir()
            elif how == 'link':
                path.symlink_to('/etc/passwd')
    before, repo_before = snapshot(a.out), snapshot(a.repo)
    for command in ('verify', a.out), ('sites', a.out), ('map', a.out, 'main.py:1'), ('instrument', a.repo, '-o', a.out, '--check'):
        run = a.healc(*command)
        if run.returncode not in (0, 1, 2) or b'panicked' in run.stderr:
            a.problems.append('%s: exit code %d\n%s' % (command[0], run.returncode, run.stderr.decode('utf-8', 'replace')[-800:]))
    a.judge(a.instrument('--full'), before, repo_before)


def killed(a):
    """SIGKILL at random moments: the old overlay or the new one, whole; then a run that succeeds."""
    for i in range(120):
        a.write('many/m%d.py' % i, b'def f(x):\n    return g(x)\n' * 20)
    a.first_run()
    old = snapshot(a.out)
    for i in range(120):
        a.write('many/m%d.py' % i, b'def f(x):\n    return h(x)\n' * 20)
    repo_before = snapshot(a.repo)
    process = subprocess.Popen([HEALC, 'instrument', str(a.repo), '-o', str(a.out), '--full'], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(a.rng.random() * 0.15)
    process.send_signal(signal.SIGKILL)
    process.wait()
    after = snapshot(a.out)
    if after != old:
        a.check_overlay()
        if a.instrument('--full', '--check').returncode:
            a.problems.append('neither the old overlay nor the new one')
    a.judge(a.instrument('--full'), None, repo_before)
    left = [name for name in os.listdir(a.base) if 'stage' in name]
    if left:
        a.problems.append('left behind: %s' % left)


def killed_in_place(a):
    for i in range(80):
        a.write('many/m%d.py' % i, b'def f(x):\n    return g(x)\n' * 20)
    before = snapshot(a.repo)
    verb = a.rng.choice(['instrument', 'restore'])
    if verb == 'restore':
        a.healc('instrument', '--in-place', a.repo)
    command = [HEALC, 'restore', str(a.repo)] if verb == 'restore' else [HEALC, 'instrument', '--in-place', str(a.repo)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(a.rng.random() * 0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for _ in range(2):
        if (a.repo / '.healc').exists():
            a.healc('restore', a.repo)
    if snapshot(a.repo) != before:
        changed = {name for name in set(before) | set(snapshot(a.repo)) if before.get(name) != snapshot(a.repo).get(name)}
        a.problems.append('not restored: %s' % sorted(changed)[:5])


def two_at_once(a):
    for i in range(60):
        a.write('many/m%d.py' % i, b'def f(x):\n    return g(x)\n' * 20)
    repo_before = snapshot(a.repo)
    runs = [subprocess.Popen([HEALC, 'instrument', str(a.repo), '-o', str(a.out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(4)]
    codes = []
    for run in runs:
        _, said = run.communicate(timeout=120)
        codes.append(run.returncode)
        if run.returncode not in (0, 2) or b'panicked' in said:
            a.problems.append('exit code %d\n%s' % (run.returncode, said.decode('utf-8', 'replace')[-800:]))
    if 0 not in codes:
        a.problems.append('none of them wrote: %s' % codes)
    if snapshot(a.repo) != repo_before:
        a.problems.append('the repository was changed')
    a.check_overlay()


def full_disk(a):
    """The overlay lies on a file system with little room."""
    small = a.base / 'small'
    small.mkdir()
    kib = a.rng.choice([64, 200, 500, 1500])
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=%dk' % kib, 'tmpfs', str(small)], check=True)
    try:
        a.out = small / 'out'
        a.first_run()
        for i in range(40):
            a.write('many/m%d.py' % i, b'def f(x):\n    return g(x)\n' * 60)
        before = snapshot(a.out) if a.out.exists() else None
        a.judge(a.instrument(), before, snapshot(a.repo))
    finally:
        subprocess.run(['umount', str(small)], check=True)


def changing(a):
    """Files change while they are instrumented."""
    for i in range(200):
        a.write('many/m%d.py' % i, b'def f(x):\n    return g(x)\n' * 20)
    process = subprocess.Popen([HEALC, 'instrument', str(a.repo), '-o', str(a.out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None:
        name = 'many/m%d.py' % a.rng.randrange(200)
        if a.rng.random() < 0.3:
            (a.repo / name).unlink(missing_ok=True)
        else:
            a.write(name, b'y = h(%d)\n' % a.rng.randrange(1000))
    said = process.stderr.read()
    if process.returncode not in (0, 1, 2) or b'panicked' in said:
        a.problems.append('exit code %d\n%s' % (process.returncode, said.decode('utf-8', 'replace')[-800:]))
    if process.returncode < 2:
        a.check_overlay()


def configuration(a):
    kinds = [b'exclude = ["["]\n', b'exclude = 3\n', b'nonsense\n', b'\xff\xfe', b'target-python = "4.0"\n', b'rules = ["gone.toml"]\n',
             b'include = ["../**"]\n', b'returns = "maybe"\n', b'[tool]\n', b'exclude = ["' + b'a/' * 50000 + b'"]\n']
    name = a.rng.choice(['healc.toml', '.healcignore', 'pyproject.toml', '.gitignore'])
    a.write(name, a.rng.choice(kinds))
    a.plain()


KINDS = [odd_names, names_of_ours, links, special_files, encodings, depth, size, syntax, permissions, foreign_output,
         damaged_overlay, killed, killed_in_place, two_at_once, full_disk, changing, configuration]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only')
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if not options.only or kind.__name__ == options.only]
    if os.geteuid() != 0 and full_disk in kinds:
        print('left out, for it needs root: full_disk')
        kinds.remove(full_disk)
    passed = failed = 0
    for number in range(options.count):
        kind = kinds[number % len(kinds)]
        base = tempfile.mkdtemp(prefix='healc-hostile-')
        attempt = Attempt(base, random.Random(options.seed * 100003 + number))
        outside = None
        try:
            kind(attempt)
            outside = sorted(set(os.listdir(base)) - {'repo', 'out', 'elsewhere', 'real', 'target', 'small'})
        finally:
            subprocess.run(['chmod', '-R', 'u+rwX', base], stderr=subprocess.DEVNULL)
            shutil.rmtree(base, ignore_errors=True)
            if os.path.exists(base):
                subprocess.run(['rm', '-rf', base])
        if outside and kind is not killed:
            attempt.problems.append('written beside the output: %s' % outside)
        if attempt.problems:
            failed += 1
            print('FAIL %s (number %d)\n%s' % (kind.__name__, number, '\n'.join(attempt.problems)), flush=True)
        else:
            passed += 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
