#!/usr/bin/env python3
"""What instrumenting costs, beside other tools that read and write the same files.

    benches/peers.py FOLDER [--files 120] [--heavy 3] [--rounds 3]

Takes a seeded sample of a folder's Python files and runs, by turns: Python's own `compile`, LibCST's
parse and print, healc with one thread (every file proven, overlay written to disk), and, on the first
`--heavy` files only, DynaPyt's instrumentation with an analysis of the same kind of events (control
flow), which takes seconds a file. CPU time of the process, start-up included and, beside it, taken
off. LibCST and DynaPyt come from the package index, into a virtual environment in the temporary folder.
"""
import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')
COMPILE = 'import sys\nfor p in sys.argv[1:]: compile(open(p, "rb").read(), p, "exec", dont_inherit=True)'
LIBCST = 'import sys, libcst\nfor p in sys.argv[1:]: libcst.parse_module(open(p, "rb").read()).bytes'


def cpu(command, **how):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit('%s: exit %d\n%s' % (command[:4], run.returncode, run.stderr.decode()[-2000:]))
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def sample(folder, count):
    """Files that compile, not the empty ones."""
    files = sorted(path for path in Path(folder).rglob('*.py') if path.is_file() and path.stat().st_size > 500)
    random.Random(1).shuffle(files)
    chosen = []
    for path in files:
        try:
            compile(path.read_bytes(), str(path), 'exec', dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        chosen.append(path)
        if len(chosen) == count:
            break
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder')
    parser.add_argument('--files', type=int, default=120)
    parser.add_argument('--heavy', type=int, default=3)
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    base = Path(tempfile.gettempdir(), 'healc-peers')
    python = base / 'bin/python'
    if not python.exists():
        venv.create(base, with_pip=True)
        subprocess.run([str(python), '-m', 'pip', 'install', '-q', 'libcst', 'dynapyt'], check=True)
    with tempfile.TemporaryDirectory() as work:
        # In a folder of their own, under names that no rule leaves out.
        repo = Path(work, 'repo')
        repo.mkdir()
        files = []
        for number, path in enumerate(sample(options.folder, options.files)):
            files.append(repo / ('m%d.py' % number))
            shutil.copyfile(path, files[-1])
        heavy = Path(work, 'heavy')
        heavy.mkdir()
        few = [shutil.copyfile(path, heavy / path.name) for path in files[:options.heavy]]
        lines = sum(path.read_bytes().count(b'\n') for path in files)
        heavy_lines = sum(Path(path).read_bytes().count(b'\n') for path in few)

        def dynapyt():
            for path in few:
                shutil.copyfile(repo / Path(path).name, path)
            return cpu([python, '-m', 'dynapyt.instrument.instrument', '--analysis',
                        'dynapyt.analyses.BranchCoverage.BranchCoverage', '--files', *few])

        def healc(*more):
            shutil.rmtree(Path(work, 'out'), ignore_errors=True)
            return cpu([HEALC, 'instrument', repo, '-o', Path(work, 'out'), '--isolated', '-q', '-j', 1, *more])

        empty = Path(work, 'empty')
        empty.mkdir()
        steps = [
            ("Python's compile()", lines, lambda: cpu([python, '-c', COMPILE, *files]), lambda: cpu([python, '-c', COMPILE])),
            ('LibCST parse and print', lines, lambda: cpu([python, '-c', LIBCST, *files]), lambda: cpu([python, '-c', LIBCST])),
            ('DynaPyt instrument', heavy_lines, dynapyt,
             lambda: cpu([python, '-c', 'import dynapyt.instrument.instrument'])),
            ('healc instrument', lines, healc,
             lambda: cpu([HEALC, 'instrument', empty, '-o', Path(work, 'nothing'), '--isolated', '-q'])),
        ]
        times = [[] for _ in steps]
        for _ in range(options.rounds):
            for (_, _, run, start), seen in zip(steps, times):
                seen.append((run(), start()))
        print('%d files, %d lines; DynaPyt: %d files, %d lines' % (len(files), lines, len(few), heavy_lines))
        print('| tool | CPU s | without start-up | s per million lines | times healc |')
        print('|---|---|---|---|---|')
        rates = []
        for (name, size, _, _), seen in zip(steps, times):
            whole = statistics.median(run for run, _ in seen)
            alone = statistics.median(run - start for run, start in seen)
            rates.append((name, whole, alone, alone / size * 1e6))
        for name, whole, alone, rate in rates:
            print('| %s | %.2f | %.2f | %.1f | %.1f |' % (name, whole, alone, rate, rate / rates[-1][3]))


main()
