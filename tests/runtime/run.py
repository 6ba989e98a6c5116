"""Runs every case of cases/ on every interpreter: python3.11 tests/runtime/run.py

    run.py [-v] [-p 3.6,3.13] [WORD ...]   only cases whose name contains a WORD

A case is a text of files. Emitted code in them is written by hand; a handler says with
`#@ FORM` (and `line=N`, `function=NAME`, `key=HEX`) what the compiler's site table says about it:

    #! versions <=3.12       (optional; also `>=3.8`)
    #! env NAME=value        (optional; {{root}} is the overlay's folder)
    #! args -S -I            (optional; for the interpreter)
    -- heal.py --            (arms the runtime)
    snippets = {"{{mod.py#3}}": "x = 1"}
    -- mod.py --
    ...
    -- main.py --            (is run)
    -- stdout --             (optional; default: ok)
    -- stderr --             (optional; default: empty)
    -- log --                (optional; lines: FILE#ID ACTION EXCEPTION ERROR-or-'-')

{{mod.py#3}} is the key of site 3 of mod.py; {{preamble}} the lines that begin each
instrumented file.

Cases of compiled/ are whole programs that healc instruments (see compiled.py): the binary
is $HEALC, or target/release/healc.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import compiled

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(HERE, '..', '..', 'src', 'runtime')
MINORS = range(6, 14)
MARKER = re.compile(r'__eh__\((\d+)\).*?#@ ([a-z-]+)((?: \w+=\S+)*)')
PREAMBLE = '''\
try: (lambda: __eh__)()
except:
    try: (lambda: (__import__('_eh_runtime'), __eh__))()
    except:
        try: (lambda: (lambda b: (setattr(b, '__eh__', type('', (tuple,), {'__del__': lambda s: setattr(b, '__eh__', ())})()), __eh__))(__import__('builtins')))()
        except: (lambda: __builtins__.__setitem__('__eh__', ()))()
'''


def key(path, number):
    return hashlib.sha256(('%s#%s' % (path, number)).encode()).hexdigest()[:32]


def table(path, text):
    sites = {}
    for i, line in enumerate(text.split('\n')):
        for number, form, more in MARKER.findall(line):
            more = dict(item.split('=') for item in more.split())
            at = int(more.get('line', i + 1))
            assert int(number) not in sites, (path, number)
            sites[int(number)] = {
                'id': int(number), 'key': more.get('key', key(path, number)), 'kind': 'expr', 'form': form,
                'line': at, 'column': 0, 'end_line': at, 'end_column': 1,
                'function': more.get('function'), 'tries': []}
    assert sorted(sites) == list(range(len(sites))), (path, sorted(sites))
    return {'schema': 1, 'path': path, 'tries': [],
            'sites': [sites[i] for i in sorted(sites)]} if sites else None


def parse(path):
    with open(path, encoding='utf-8') as file:
        head, *parts = re.split(r'(?m)^-- (\S+) --\n', file.read())
    options = [line[3:].split(None, 1) for line in head.split('\n') if line.startswith('#! ')]
    return options, dict(zip(parts[::2], parts[1::2]))


def wanted(options, minor):
    for name, value in options:
        if name == 'versions':
            limit = int(value[4:])
            if value[:2] == '<=' and minor > limit or value[:2] == '>=' and minor < limit:
                return False
    return True


def run(case, python, runtimes):
    """None, or what is wrong."""
    options, files = parse(case)
    files = dict(files)
    expected = {name: files.pop(name, default) for name, default in
                (('stdout', 'ok\n'), ('stderr', ''), ('log', None))}
    root = tempfile.mkdtemp(prefix='eh-')
    overlay = os.path.join(root, 'overlay')
    try:
        names = {'root': overlay, 'preamble': PREAMBLE, 'runtime': runtimes}

        def fill(text):
            return re.sub(r'{{(.+?)}}', lambda m: key(*m.group(1).split('#'))
                          if '#' in m.group(1) else names[m.group(1)], text)
        for name, text in files.items():
            target = os.path.join(overlay, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            text = fill(text)
            with open(target, 'w', encoding='utf-8') as file:
                file.write(text)
            sites = table(name, text)
            if sites and name != 'heal.py':
                target = os.path.join(overlay, '.healc', 'sites', name + '.json')
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, 'w') as file:
                    json.dump(sites, file)
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('PYTHON', 'EH_', 'PYENV'))}
        env.update(PYTHONPATH=runtimes, PYTHONHASHSEED='0')
        log = os.path.join(root, 'log')
        if 'heal.py' in files:
            env.update(EH_MODE='script', EH_SCRIPT=os.path.join(overlay, 'heal.py'), EH_LOG=log)
        args = []
        for name, value in options:
            if name == 'env':
                variable, _, text = value.partition('=')
                env[variable] = fill(text)
            elif name == 'args':
                args += value.split()
        done = subprocess.run([python, *args, os.path.join(overlay, 'main.py')], env=env,
                              cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        stdout, stderr = (b.decode('utf-8', 'replace') for b in (done.stdout, done.stderr))
        problems = []
        if done.returncode:
            problems.append('exit code %d' % done.returncode)
        for name, got in ('stdout', stdout), ('stderr', stderr):
            if got != fill(expected[name]):
                problems.append('%s: %s' % (name, got))
        if expected['log'] is not None:
            keys = {entry['key']: '%s#%d' % (name, entry['id']) for name in files
                    for entry in (table(name, fill(files[name])) or {}).get('sites', ())
                    if name != 'heal.py'}
            with open(log) as file:
                got = [json.loads(line) for line in file]
            got = ''.join('%s %s %s %s\n' % (keys[line['key']], line['action'],
                          line['exception'], line['error'] or '-') for line in got)
            if got != fill(expected['log']):
                problems.append('log: ' + got)
        return '\n'.join(problems) or None
    except (OSError, subprocess.SubprocessError) as error:
        return '%s: %s' % (type(error).__name__, error)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def interpreters(only):
    root = subprocess.run(['pyenv', 'root'], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout.strip()
    versions = os.path.join(root, 'versions')
    for minor in MINORS:
        for name in sorted(os.listdir(versions)):
            if name.startswith('3.%d.' % minor) and (not only or '3.%d' % minor in only):
                yield minor, os.path.join(versions, name, 'bin', 'python')


def main(args):
    verbose = '-v' in args
    args = [a for a in args if a != '-v']
    only = None
    if '-p' in args:
        i = args.index('-p')
        only = args[i + 1].split(',')
        del args[i:i + 2]
    names = sorted(n for n in os.listdir(os.path.join(HERE, 'cases')) if n.endswith('.case'))
    names = [n for n in names if not args or any(a in n for a in args)]
    runtimes = tempfile.mkdtemp(prefix='eh-runtime-')
    healc = os.environ.get('HEALC') or os.path.join(HERE, '..', '..', 'target', 'release', 'healc')
    healc = shutil.copy2(healc, runtimes)  # it may be built anew meanwhile
    programs = [p for p in compiled.load(parse, healc, os.path.join(runtimes, 'compiled'))
                if not args or any(a in p.name for a in args)]
    passed = failed = 0
    try:
        shutil.copytree(os.path.join(RUNTIME, '_eh_runtime'),
                        os.path.join(runtimes, '_eh_runtime'),
                        ignore=shutil.ignore_patterns('__pycache__'))
        jobs = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for minor, python in interpreters(only):
                for name in names:
                    path = os.path.join(HERE, 'cases', name)
                    if wanted(parse(path)[0], minor):
                        jobs.append((name, minor, pool.submit(run, path, python, runtimes)))
                for program in programs:
                    if wanted(program.versions, minor):
                        jobs.append((program.name, minor, pool.submit(program.run, python)))
            for name, minor, job in jobs:
                problem = job.result()
                passed += not problem
                failed += bool(problem)
                if problem or verbose:
                    print('%s 3.%d %s' % ('FAIL' if problem else 'pass', minor, name[:-5]))
                if problem:
                    print('    ' + problem[-1500:].replace('\n', '\n    '), flush=True)
    finally:
        shutil.rmtree(runtimes, ignore_errors=True)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
