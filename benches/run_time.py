#!/usr/bin/env python3
"""What handlers cost while a program runs, with no healer attached.

    benches/run_time.py [--pythons 3.8,3.13] [--rounds 5] [--programs richards,chaos]

Takes benchmark programs of pyperformance (from the package index), instruments them, and runs the
original, a second copy of it (the null control: its distance from 1.00 is the noise) and the
instrumented program by turns, each in a process of its own. CPU time; ratios of medians; the
geometric mean over the programs. `exceptions` is a program of ours in which most calls raise.
"""
import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')
PROGRAMS = ['richards', 'deltablue', 'chaos', 'nbody', 'raytrace', 'fannkuch', 'hexiom', 'pidigits', 'go',
            'exceptions']
PYPERF = '''
import sys, time
class Runner:
    def __init__(self, *a, **k):
        import argparse
        self.argparser = argparse.ArgumentParser(); self.metadata = {}; self.args = None
    def parse_args(self):
        self.args = self.argparser.parse_args([]); return self.args
    def bench_func(self, name, func, *args, **kw):
        self.bench_time_func(name, lambda loops: self._loop(func, args, loops))
    def _loop(self, func, args, loops):
        start = time.process_time()
        for _ in range(loops): func(*args)
        return time.process_time() - start
    def bench_time_func(self, name, func, *args, **kw):
        loops = 1
        while func(loops, *args) < 0.15: loops *= 2
        print(min(func(loops, *args) for _ in range(3)) / loops); sys.exit()
def perf_counter(): return time.process_time()
'''
EXCEPTIONS = '''
import pyperf
TABLE = {n: n for n in range(0, 1000, 3)}
def look(n):
    return TABLE[n]
def convert(text):
    value = int(text)
    return value
def run():
    found = 0
    for n in range(1000):
        try:
            found += look(n)
        except KeyError:
            found += 1
        try:
            found += convert("x%d" % n)
        except ValueError:
            pass
    return found
if __name__ == "__main__":
    pyperf.Runner().bench_func("exceptions", run)
'''


def pythons(wanted):
    root = subprocess.run(['pyenv', 'root'], capture_output=True, text=True).stdout.strip()
    found = {}
    for exe in Path(root or os.path.expanduser('~/.pyenv'), 'versions').glob('3.*/bin/python'):
        version = '.'.join(exe.parent.parent.name.split('.')[:2])
        if not wanted or version in wanted:
            found[version] = exe
    return dict(sorted(found.items(), key=lambda item: int(item[0].split('.')[1])))


def lay_out(work, programs):
    """work/{plain,null,healc}/PROGRAM/run_benchmark.py"""
    subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '-d', str(work),
                    'pyperformance==1.14.0'], check=True)
    wheel = next(work.glob('pyperformance-*.whl'))
    plain = work / 'plain'
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            match = re.search(r'bm_(\w+)/run_benchmark\.py$', name)
            if match and match[1] in programs:
                target = plain / match[1] / 'run_benchmark.py'
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    if 'exceptions' in programs:
        (plain / 'exceptions').mkdir(parents=True)
        (plain / 'exceptions/run_benchmark.py').write_text(EXCEPTIONS)
    shutil.copytree(plain, work / 'null')
    subprocess.run([HEALC, 'instrument', str(plain), *map(str, plain.rglob('*.py')), '-o',
                    str(work / 'healc'), '--isolated', '--full', '-q'], check=True)
    (work / 'lib').mkdir()
    (work / 'lib/pyperf.py').write_text(PYPERF)


def measure(python, work, variant, program):
    env = dict(os.environ, PYTHONPATH=str(work / 'lib'), PYTHONHASHSEED='0', PYTHONDONTWRITEBYTECODE='1')
    run = subprocess.run([str(python), 'run_benchmark.py'], cwd=work / variant / program, env=env,
                         capture_output=True, text=True)
    lines = run.stdout.split()
    return float(lines[-1]) if lines else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--pythons', default='')
    parser.add_argument('--programs', default=','.join(PROGRAMS))
    parser.add_argument('--rounds', type=int, default=5)
    args = parser.parse_args()
    programs = args.programs.split(',')
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        lay_out(work, programs)
        found = [p for p in programs if (work / 'plain' / p).is_dir()]
        print('| Python | ' + ' | '.join(found) + ' | geomean | null |')
        print('|---' * (len(found) + 3) + '|')
        for version, python in pythons(args.pythons.split(',') if args.pythons else []).items():
            ratios, nulls, cells = [], [], []
            for program in found:
                times = {'plain': [], 'null': [], 'healc': []}
                for _ in range(args.rounds):
                    for variant in times:
                        times[variant].append(measure(python, work, variant, program))
                if None in times['plain'] + times['healc']:
                    cells.append('-')
                    continue
                medians = {variant: statistics.median(values) for variant, values in times.items()}
                ratio = medians['healc'] / medians['plain']
                cells.append('%.2f' % ratio)
                if program != 'exceptions':
                    ratios.append(ratio)
                    nulls.append(medians['null'] / medians['plain'])
            mean = lambda values: math.exp(sum(map(math.log, values)) / len(values)) if values else float('nan')
            print('| %s | %s | %.3f | %.3f |' % (version, ' | '.join(cells), mean(ratios), mean(nulls)), flush=True)


if __name__ == '__main__':
    main()
