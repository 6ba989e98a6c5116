#!/usr/bin/env python3
"""Every Python file of real trees through healc: instrumented, proven, compiled.

    tests/corpus.py                        CPython's own library, each pyenv version, tests included
    tests/corpus.py FOLDER... [--python X] other trees, compiled with X (default: the newest)

Each file is named explicitly, so that no rule leaves it out. A file that healc leaves alone
counts as wrong if the interpreter compiles it (but for the grammar of 3.6, in which `async` was
an ordinary name). Prints a table in Markdown; exits with 1 if anything is wrong.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')
COMPILES = ("import sys, warnings; warnings.simplefilter('ignore')\n"
            "for path in sys.stdin.read().split('\\n'):\n"
            "    try: compile(open(path, 'rb').read(), path, 'exec', dont_inherit=True)\n"
            "    except BaseException: continue\n"
            "    print(path)\n")


def pythons():
    root = subprocess.run(['pyenv', 'root'], capture_output=True, text=True).stdout.strip()
    found = {}
    for exe in Path(root or os.path.expanduser('~/.pyenv'), 'versions').glob('3.*/bin/python'):
        version = exe.parent.parent.name
        found[tuple(int(n) for n in re.findall(r'\d+', version))] = exe
    return [found[version] for version in sorted(found)]


def python_files(tree):
    for path in sorted(tree.rglob('*.py')):
        inside = path.relative_to(tree).parts
        if 'site-packages' not in inside and '__pycache__' not in inside and path.is_file():
            yield path


def check(name, tree, python):
    """One row of the table, and what is wrong."""
    with tempfile.TemporaryDirectory() as work:
        out = Path(work, 'overlay')
        files = [str(path) for path in python_files(tree)]
        run = subprocess.run([HEALC, 'instrument', str(tree), *files, '-o', str(out), '--isolated', '--thorough',
                              '--no-ignore', '--check-with', str(python), '-q'],
                             capture_output=True, text=True, errors='replace')
        manifest = json.loads(Path(out, '.healc/manifest.json').read_text('utf-8'))
    wrong = []
    if run.returncode:
        wrong.append('%s: exit code %s\n%s' % (name, run.returncode, run.stderr[-2000:]))
    skipped = [path for path, entry in manifest['files'].items() if entry['state'] == 'skipped']
    valid = subprocess.run([str(python), '-c', COMPILES], capture_output=True, text=True,
                           input='\n'.join(str(tree / path) for path in skipped)).stdout.split('\n')
    for path in filter(None, valid):
        diagnostic = manifest['files'][str(Path(path).relative_to(tree))]['diagnostics'][0]
        reason = diagnostic['message']
        # Newer than what the tree says it supports: left alone on purpose.
        newer = manifest['settings']['target-python'] and diagnostic['code'] == 'newer-syntax'
        name_of_3_6 = '/3.6' in str(python) and ('`async`' in reason or '`await`' in reason)
        if not (newer or name_of_3_6):
            wrong.append('%s: left alone, but valid: %s' % (path, reason))
    totals = manifest['totals']
    declined, left = sum(totals['declined'].values()), sum(totals['left_alone'].values())
    sites = totals['sites']
    share = 100.0 * declined / (sites + declined) if sites else 0.0
    if share >= 0.1:
        wrong.append('%s: %.3f %% of statements declined' % (name, share))
    reasons = ', '.join('%s %d' % item for item in sorted(totals['declined'].items())) or '-'
    print('| %s | %d | %d | %d | %d | %d | %d | %.4f %% | %s | %d |' % (
        name, totals['files'], totals['instrumented'], totals['unchanged'], len(skipped),
        totals['failed'], sites, share, reasons, left), flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folders', nargs='*', type=Path)
    parser.add_argument('--python', type=Path)
    args = parser.parse_args()
    print('| tree | files | instrumented | nothing to wrap | not valid there | failed | sites '
          '| declined | by reason | left alone by rule |')
    print('|---|---|---|---|---|---|---|---|---|---|')
    wrong = []
    if args.folders:
        for folder in args.folders:
            wrong += check(folder.name, folder, args.python or pythons()[-1])
    else:
        for python in pythons():
            home = python.parent.parent
            library = next(home.glob('lib/python3.*'))
            wrong += check('CPython %s' % home.name, library, python)
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
