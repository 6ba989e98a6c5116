#!/usr/bin/env python3.11
"""All conformance cases in exact mode: everything has to be equal, line numbers,
source lines and carets included. Also the whole folder after the run.

    conformance.py HEALC FOLDER_OF_ACTIVATION [--only REGEX] [--pythons 3.6,3.13] [--cases DIR]
"""
import argparse, importlib.util, json, os, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SHARED = Path('/work/shared/conformance')
spec = importlib.util.spec_from_file_location('conformance_run', SHARED / 'run.py')
run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run)


def known(case, version, problems):
    """Why a difference cannot be helped, or None."""
    old = run.vtuple(version) <= (3, 11)
    changed = [line for p in problems for line in p.splitlines()[3:] if line[:1] in '+-']
    if case.name == '092_exc_metaclass_hooks' and old and set(changed) == {'+subclasscheck'}:
        return 'up to 3.11 the interpreter normalises an exception whenever it enters a handler of any kind'
    if case.name == '327_recursion_to_the_limit' and old:
        lines = [re.sub(r'\d+', 'N', line[1:]) for line in changed]
        if lines[::2] == lines[1::2]:
            return 'up to 3.11 the built-in that runs the script counts as two levels'
    if case.name == '351_builtins_are_listed':
        return 'the hook is a name in builtins, and the runtime is a module'
    return case.meta.get('soft_because')


def one(case, pythons, opts, base, originals):
    results = {}
    work = Path(base, case.name)
    src = work / 'in'
    case.lay(src)
    overlay = work / 'overlay'
    tool = subprocess.run([opts.healc, 'instrument', str(src), '-o', str(overlay), '--runtime', 'none'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    manifest = overlay / '.healc/manifest.json'
    files = json.loads(manifest.read_text())['files'] if manifest.exists() else {}
    wrapped = [p for p, e in files.items() if e['state'] == 'instrumented' and p.endswith('.py')]
    for v in (v for v in pythons if case.runs_on(v)):
        root = work / ('run_' + v)
        key = '%s|%s|%s' % (case.name, v, run.digest(case, opts))

        def once(env):
            case.lay(root)
            opts.env = env
            before = os.environ.get('TMPDIR')
            rc, out, err = run.run_program(case, pythons[v], root, argparse.Namespace(pythonpath=None, env=env))
            shutil.rmtree(root, ignore_errors=True)
            return [rc, out.replace(str(root), '<ROOT>'), err.replace(str(root), '<ROOT>')]

        if key not in originals:
            originals[key] = once([])
        env = ['EH_EXACT=%s' % overlay, 'EH_REPO=%s' % root, 'EH_CACHE=%s' % (work / 'cache'),
               'PYTHONPATH=%s' % opts.shim, 'EH_TRACE_LOADED=1'][:4]
        if 'PYTHONPATH' in case.meta.get('env', {}):
            env[3] += ':' + case.meta['env']['PYTHONPATH']
        problems = []
        for what in ('cold', 'warm'):
            a, b = originals[key], once(env)
            for name, x, y in zip(('exit code', 'stdout', 'stderr'), a, b):
                if name == 'stderr' and case.meta.get('ignore_stderr'):
                    continue
                if name != 'exit code':
                    x, y = (re.sub(r'0x[0-9a-fA-F]{4,}', '0xADDR', t) for t in (x, y))
                if x != y:
                    problems.append('%s: %s differs\n%s' % (what, name, run.diff(str(x), str(y), name)))
        if wrapped and case.expect != 'refuse' and not any((work / 'cache').glob('*-*-*/*/*')):
            if not case.meta.get('may_be_unchanged'):
                problems.append('nothing was loaded from the overlay')
        if problems:
            why = known(case, v, problems)
            if why:
                print('known: %s [%s]: %s' % (case.name, v, why), flush=True)
                problems = []
        results[v] = problems
    shutil.rmtree(work, ignore_errors=True)
    return results


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('healc')
    ap.add_argument('shim')
    ap.add_argument('--only')
    ap.add_argument('--pythons')
    ap.add_argument('--cases', action='append')
    ap.add_argument('--jobs', type=int, default=2)
    ap.add_argument('--cache', help='keep what the originals did')
    opts = ap.parse_args()
    opts.pythonpath, opts.env = None, []
    pythons = run.find_pythons(None)
    pythons.pop('2.7', None)
    if opts.pythons:
        pythons = {v: e for v, e in pythons.items() if v in opts.pythons.split(',')}
    folders = [Path(c) for c in opts.cases or [SHARED / 'cases']]
    cases = [run.Case(d) for f in folders for d in sorted(f.iterdir()) if (d / 'meta.toml').exists()]
    if opts.only:
        cases = [c for c in cases if re.search(opts.only, c.name)]
    originals = {}
    if opts.cache and os.path.exists(opts.cache):
        originals = json.loads(Path(opts.cache).read_text())
    base = tempfile.mkdtemp(prefix='exact_')
    passed = failed = 0
    with ThreadPoolExecutor(opts.jobs) as pool:
        for case, results in zip(cases, pool.map(lambda c: one(c, pythons, opts, base, originals), cases)):
            groups = {}
            for v, problems in results.items():
                passed, failed = passed + (not problems), failed + bool(problems)
                if problems:
                    groups.setdefault('\n'.join(problems), []).append(v)
            for text, vs in groups.items():
                print('== %s [%s]\n%s' % (case.name, ','.join(vs), text), flush=True)
    if opts.cache:
        Path(opts.cache).write_text(json.dumps(originals))
    shutil.rmtree(base, ignore_errors=True)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
