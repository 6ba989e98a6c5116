#!/usr/bin/env python3.11
"""Exact mode on every interpreter: `run.py [behaviour] [positions] [--pythons 3.6,3.13]`.

`behaviour`: small programs, with the original beside. `positions`: each code object of the standard
library has the original's lines and columns. (The conformance cases run by tests/conformance/run.py
--exact.) Uses $HEALC or target/release/healc, and ~/.pyenv/versions. Ends with `N passed, N failed`.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = HERE.parents[1]
sys.path.insert(0, str(HERE))
passed = failed = 0


def check(name, good, detail=''):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print('FAIL %s\n%s' % (name, detail), flush=True)


def activation(base):
    """The folder that `healc run --exact` puts on PYTHONPATH."""
    folder = Path(base, 'activation')
    shutil.copytree(MAIN / 'src/runtime/_eh_runtime', folder / '_eh_runtime', ignore=shutil.ignore_patterns('__pycache__'))
    (folder / 'sitecustomize.py').write_text((MAIN / 'src/runtime/_eh_runtime/_exact_sitecustomize.py').read_text())
    return str(folder)


def positions(base, healc, pythons, every):
    for version, python in pythons.items():
        library = Path(python).parents[1] / ('lib/python' + version)
        overlay = Path(base, 'library-' + version)
        subprocess.run([healc, 'instrument', str(library), '-o', str(overlay), '--runtime', 'none', '--isolated', '-q', '--no-ignore', '--returns', 'inline',
                        '--include', 'test/**', '--exclude', 'site-packages', '--exclude', 'lib2to3/tests'],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        p = subprocess.run([python, str(HERE / 'positions.py'), str(library), str(overlay), str(every)], stdout=subprocess.PIPE)
        shutil.rmtree(overlay, ignore_errors=True)
        if p.returncode:
            check('positions [%s]' % version, False, 'the check itself failed')
            continue
        data = json.loads(p.stdout)
        counts = data['counts']
        print('%-5s %s' % (version, counts), flush=True)
        problems = data['problems']
        # Up to 3.9 dead jumps are removed or not, depending on what stands around them.
        if counts['overlay'] <= counts['compared'] / 500 and int(version[2:]) <= 9:
            problems = [problem for problem in problems if 'not the overlay' not in problem]
        # 3.11 gives what ends a `finally` the place of the statement before; after a `try`,
        # such as ours, it gives it none. 3.13 makes one instruction of two loads, with the
        # columns of the first; which two depends on where a `try` ends.
        if version in ('3.11', '3.13') and counts['positions'] < counts['code'] / 200:
            problems = [problem for problem in problems if problem[3] != 'positions']
        bad = [str(problem)[:300] for problem in problems if not problem[-1] == 'unreachable']
        check('positions [%s]' % version, not bad and counts['files'] > 1000 and counts['unreachable'] < counts['code'] / 500,
              '\n'.join(bad[:20]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('parts', nargs='*', default=[])
    ap.add_argument('--pythons')
    ap.add_argument('--only')
    ap.add_argument('--every', type=int, default=20, help='compare every Nth file with the overlay')
    opts = ap.parse_args()
    parts = opts.parts or ['behaviour', 'positions']
    healc = os.environ.get('HEALC') or str(MAIN / 'target/release/healc')
    pythons = {}
    for exe in sorted(Path('~/.pyenv/versions').expanduser().glob('3.*/bin/python')):
        pythons['.'.join(exe.parents[1].name.split('.')[:2])] = str(exe)
    pythons = dict(sorted(pythons.items(), key=lambda i: int(i[0][2:])))
    if opts.pythons:
        pythons = {v: pythons[v] for v in opts.pythons.split(',')}
    base = tempfile.mkdtemp(prefix='healc_exact_')
    try:
        shim = activation(base)
        if 'behaviour' in parts:
            import behaviour
            behaviour.scenarios(base, healc, shim, pythons, check, opts.only)
            if not opts.only:
                behaviour.special(base, healc, shim, pythons, check)
        if 'positions' in parts:
            positions(base, healc, pythons, opts.every)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
