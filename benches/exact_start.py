#!/usr/bin/env python3
"""What exact mode costs when a program starts: importing large packages.

    benches/exact_start.py [--python python3.11] [--packages sympy,django,pandas] [--rounds 7]

Installs the packages from the package index into a virtual environment in the temporary folder,
instruments each one's folder, and imports it in a process of its own: the original with its .pyc files,
a second time the same (the null control), and exact mode with a warm cache, by turns; then exact mode
with an empty cache and the original without .pyc files, once. User and system time of the process; ratios of medians.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')
IMPORTS = {'django': 'import django.db.models, django.contrib.admin, django.test, django.forms, django.core.management'}


def seconds(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(part) for part in command], env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--python', default=sys.executable)
    parser.add_argument('--packages', default='sympy,django,pandas')
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args()
    version = subprocess.run([options.python, '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'],
                             stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    base = Path(tempfile.gettempdir(), 'healc-exact-start-' + version)
    python = base / 'bin/python'
    packages = options.packages.split(',')
    if not python.exists():
        subprocess.run([options.python, '-m', 'venv', str(base)], check=True)
    subprocess.run([str(python), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', *packages], check=True)
    library = next(base.glob('lib/python*/site-packages'))
    print('| package, Python %s | files | import s | null | exact, warm | original, cold | exact, cold |' % version)
    print('|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as work:
        for package in packages:
            overlay, cache = Path(work, package), Path(work, package + '-cache')
            subprocess.run([HEALC, 'instrument', str(library), str(library / package), '-o', str(overlay),
                            '--isolated', '-q'], check=True)
            env = {key: value for key, value in os.environ.items() if not key.startswith(('EH_', 'PYTHON'))}
            code = IMPORTS.get(package, 'import ' + package)
            plain = [python, '-c', code]
            exact = [HEALC, 'run', '--exact', '--overlay', overlay, '--repo', library, '--', *plain]
            with_cache = dict(env, EH_CACHE=str(cache))
            seconds(plain, env)
            cold = seconds(exact, with_cache)
            plain_cold = seconds(plain, dict(env, PYTHONPYCACHEPREFIX=str(Path(work, package + '-pyc'))))
            times = [], [], []
            for _ in range(options.rounds):
                for seen, command, where in zip(times, (plain, plain, exact), (env, env, with_cache)):
                    seen.append(seconds(command, where))
            original, null, warm = (statistics.median(seen) for seen in times)
            loaded = sum(1 for path in cache.rglob('*') if path.is_file() and len(path.parent.name) == 2)
            print('| %s | %d | %.2f | %.2f | %.2f | %.1f | %.1f |' % (
                package, loaded, original, null / original, warm / original, plain_cold / original, cold / original), flush=True)


main()
