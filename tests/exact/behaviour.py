"""Differential scenarios: a small repository and commands; the original, and exact mode
with a cold and with a warm cache. Exit code, stdout and stderr must be equal, and no
file may appear beside the sources. `loaded`: files that must have come from the overlay.
"""
import difflib
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

MOD = '''\
"""Doc."""
import sys
VALUE = len(sys.argv)
def boom(x):
    y = [x,
       x / (
        x - 1)]
    return y
class C:
    z = len("abc")
    def m(self):
        return (
            boom(1))
'''
SHOW = '''\
import sys, inspect, dis
def show(m):
    c = m.boom.__code__
    print(m.__name__, type(m.__loader__).__name__, m.__spec__ and m.__spec__.origin, getattr(m, '__file__', 0), getattr(m, '__cached__', 0))
    print(c.co_filename, c.co_firstlineno, sorted({l for _, l in dis.findlinestarts(c) if l}))
    try: print(inspect.getsource(m.boom))
    except OSError as e: print(e)
    try: m.C().m()
    except ZeroDivisionError:
        import traceback; traceback.print_exc()
'''

# name: (files, command after the interpreter, loaded, oldest version, [interpreter flags])
SCENARIOS = {
    'script': ({'main.py': 'import mod, show; show.show(mod)\nprint(__file__, __name__, sorted(globals()))\n'},
               ['main.py', 'x'], ['main.py', 'mod.py', 'show.py']),
    'script_error': ({'main.py': 'import mod\nmod.boom(1)\n'}, ['main.py'], ['main.py', 'mod.py']),
    'script_in_folder': ({'bin/tool.py': 'import sys, os\nprint(sys.path[0], sys.argv)\nprint(os.getcwd())\n'},
                         ['bin/../bin/./tool.py', '-q'], ['bin/tool.py']),
    'script_by_link': ({'real/tool.py': 'import sys, helper\nprint(sys.path[0], __file__)\n', 'real/helper.py': 'X = len("a")\n',
                        'link.py': ('link', 'real/tool.py')}, ['link.py'], []),
    'exit_codes': ({'main.py': 'import sys\nprint(1)\nsys.exit(int(sys.argv[1]))\n'}, ['main.py', '7'], ['main.py']),
    'exit_text': ({'main.py': 'import sys\nsys.exit("so long")\n'}, ['main.py'], ['main.py']),
    'stop_iteration': ({'main.py': 'next(iter(()))\n'}, ['main.py'], ['main.py']),
    'attribute_error': ({'main.py': 'import sys\nsys.nothing\n'}, ['main.py'], ['main.py']),
    'keyboard_interrupt': ({'main.py': 'def f():\n    raise KeyboardInterrupt\nf()\n'}, ['main.py'], ['main.py']),
    'atexit': ({'main.py': 'import atexit\natexit.register(lambda: print("__file__" in globals(), "__cached__" in globals()))\nprint(__file__)\n'},
               ['main.py'], ['main.py']),
    'excepthook': ({'main.py': 'import sys\ndef hook(t, v, tb):\n    print(t, v, __file__, tb.tb_frame.f_back, tb.tb_lineno, tb.tb_next)\nsys.excepthook = hook\nint("x")\n'},
                   ['main.py'], ['main.py']),
    'frames': ({'main.py': 'import sys\nprint(sys._getframe().f_back, sys._getframe().f_lineno)\nimport mod2\n',
                'mod2.py': 'import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_code.co_filename, f.f_code.co_name, f.f_lineno)\n    f = f.f_back\n'},
               ['main.py'], ['main.py', 'mod2.py']),
    'inspect_option': ({'main.py': 'x = len("abc")\n'}, ['-i', 'main.py'], ['main.py'], None, None, 'print(x, __file__ if "__file__" in globals() else None)\n'),
    'dash_m': ({'pkg/__init__.py': 'N = len("p")\n', 'pkg/__main__.py': 'import sys\nfrom . import mod\nprint(sys.argv, sys.path[0], __spec__.name, __package__)\nmod.boom(1)\n', 'pkg/mod.py': MOD},
               ['-m', 'pkg', 'a'], ['pkg/__main__.py', 'pkg/mod.py']),
    'dash_m_module': ({}, ['-m', 'mod'], ['mod.py']),
    'folder': ({'app/__main__.py': 'import sys, inner\nprint(sys.argv, sys.path[0])\ninner.f()\n', 'app/inner.py': 'def f():\n    raise ValueError(1)\n'},
               ['app', 'b'], ['app/__main__.py', 'app/inner.py']),
    'run_path': ({'main.py': 'import runpy\nd = runpy.run_path("other.py", run_name="__mp_main__")\nprint(d["__name__"], d["f"].__code__.co_firstlineno, sorted(d))\nd["f"]()\n',
                  'other.py': '# c\ndef f():\n    raise ValueError(2)\nprint(__file__, __name__)\n'}, ['main.py'], ['main.py', 'other.py']),
    'run_module': ({'main.py': 'import runpy\nd = runpy.run_module("mod")\nprint(d["boom"].__code__.co_filename)\nd["boom"](1)\n'}, ['main.py'], ['main.py', 'mod.py']),
    'reload': ({'main.py': 'import importlib, mod, show\nmod.VALUE = None\nm = importlib.reload(mod)\nprint(m is mod, mod.VALUE)\nshow.show(mod)\n'}, ['main.py'], ['mod.py']),
    'namespace_package': ({'main.py': 'import ns.inner\nprint(ns.__path__, getattr(ns, "__file__", None))\nns.inner.boom(1)\n', 'ns/inner.py': MOD}, ['main.py'], ['ns/inner.py']),
    'resources': ({'main.py': 'import pkgutil, pkg\nprint(pkgutil.get_data("pkg", "data.txt"))\nprint([m.name for m in pkgutil.iter_modules(pkg.__path__)])\nprint(pkg.__loader__.get_source("pkg"), len(pkg.__loader__.get_data(pkg.__file__)))\n'
                              'c = pkg.__loader__.get_code("pkg")\nprint(c.co_filename, c.co_firstlineno)\n'
                              'try:\n    from importlib import resources\n    print(resources.read_text("pkg", "data.txt"))\nexcept (ImportError, AttributeError):\n    pass\n',
                   'pkg/__init__.py': 'N = len("p")\n', 'pkg/data.txt': 'data', 'pkg/mod.py': MOD}, ['-W', 'ignore', 'main.py'], ['pkg/__init__.py']),
    'src_layout_editable_pth': ({'main.py': 'import site, os\nsite.addsitedir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sites"))\nimport lib.mod\nlib.mod.boom(1)\n',
                                 'sites/x.pth': '../src\n', 'src/lib/__init__.py': '', 'src/lib/mod.py': MOD}, ['main.py'], ['src/lib/mod.py']),
    'editable_by_hook': ({'main.py': 'import sys, os, importlib.util as u, importlib.abc\nclass F(importlib.abc.MetaPathFinder):\n    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n        if name == "lib_mod":\n            return u.spec_from_file_location(name, os.path.abspath("far/away.py"))\nsys.meta_path.append(F)\nimport lib_mod, show\nshow.show(lib_mod)\n', 'far/away.py': MOD}, ['main.py'], ['far/away.py']),
    'lazy_loader': ({'main.py': 'import importlib.util as u, sys\ns = u.find_spec("mod")\ns.loader = u.LazyLoader(s.loader)\nm = u.module_from_spec(s)\nsys.modules["mod"] = m\ns.loader.exec_module(m)\nprint(type(m).__name__)\nprint(m.VALUE)\nm.boom(1)\n'}, ['main.py'], ['mod.py']),
    'optimised': ({'main.py': 'import mod\nassert 0\nprint(mod.__doc__)\nif __debug__: print("debug")\nprint(mod.boom(2))\n'}, ['-O', 'main.py'], ['main.py', 'mod.py']),
    'optimised_twice': ({'main.py': 'import mod\nassert 0\nprint(mod.__doc__)\nprint(mod.boom(2))\n'}, ['-OO', 'main.py'], ['main.py', 'mod.py']),
    'children': ({'main.py': 'import subprocess, sys, os\nfor flags in [], ["-O"], ["-E"], ["-I"], ["-s", "-B"], ["-u"]:\n    p = subprocess.Popen([sys.executable] + flags + ["child.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)\n    print(flags, p.communicate()[0].decode(), p.returncode)\n'
                             'p = subprocess.Popen([sys.executable, "child.py"], env=dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)\nprint(p.communicate()[0].decode(), p.returncode)\nprint(os.system(sys.executable + " child.py"))\n',
                  'child.py': 'import sys, os\nprint(sys.path, sys.flags.ignore_environment or os.environ.get("PYTHONPATH"))\nsys.stdout.flush()\nraise ValueError(sys.argv)\n'}, ['main.py'], ['child.py']),
    'spawn': ({'main.py': 'import multiprocessing as mp, work\nif __name__ == "__main__":\n    ctx = mp.get_context("spawn")\n    with ctx.Pool(1) as pool:\n        print(pool.map(work.where, [1, 2]))\n    p = ctx.Process(target=work.fail)\n    p.start(); p.join(); print(p.exitcode)\n',
               'work.py': 'import sys\ndef where(x):\n    f = sys._getframe()\n    return x, f.f_code.co_filename, f.f_lineno, sys.modules["__mp_main__"].__file__\ndef fail():\n    raise ValueError(\n        3)\n'}, ['main.py'], ['main.py', 'work.py']),
    'syntax_warning': ({'main.py': 'import warny\nprint(warny.x is 1)\n', 'warny.py': 'x = len("a")\nprint(x is 1)\ndef f(): assert (x, "")\ns = "\\d"\n'},
                       ['-W', 'default', 'main.py'], ['main.py', 'warny.py']),
    'syntax_warning_error': ({'main.py': 'import warny\n', 'warny.py': 'x = len("a")\ns = "\\d"\n'}, ['-W', 'error', 'main.py'], ['main.py']),
    'own_loader': ({'main.py': 'import importlib.machinery as m, importlib.util as u\nclass L(m.SourceFileLoader):\n    def source_to_code(self, data, path, **k):\n        print("mine", path)\n        return super().source_to_code(data.replace(b"abc", b"abcd"), path)\nl = L("mod", "mod.py")\ns = u.spec_from_loader("mod", l)\nx = u.module_from_spec(s)\nl.exec_module(x)\nprint(x.C.z)\n'}, ['main.py'], ['main.py']),
    'syntax_error_import': ({'main.py': 'import bad\n', 'bad.py': 'def f(:\n    pass\n'}, ['main.py'], ['main.py']),
    'import_error': ({'main.py': 'import outer\n', 'outer.py': 'import inner2\n', 'inner2.py': 'x = len("a")\nimport nothing_of_that_name\n'}, ['main.py'], ['outer.py', 'inner2.py']),
    'recursion': ({'main.py': 'import sys\nsys.setrecursionlimit(200)\nimport rec\nprint(rec.run())\n', 'rec.py': 'def run():\n    try:\n        return run()\n    except RecursionError as e:\n        return type(e).__name__\n'}, ['main.py'], ['rec.py']),
    'trace': ({'main.py': 'import sys, traced\nlog = []\ndef tracer(f, event, arg):\n    if f.f_code.co_filename == traced.__file__:\n        log.append((f.f_code.co_name, event, f.f_lineno))\n    return tracer\nsys.settrace(tracer)\ntraced.run()\nsys.settrace(None)\nleaving = None\nfor name, event, line in log:\n    if event == "exception": leaving = name\n    elif leaving == name and event in ("line", "return"):\n        if event == "line" and line in (6, 25, 26): continue\n        leaving = None\n        if event == "return": line = type(line).__name__\n    print(name, event, line)\n',
               'traced.py': 'def run():\n    x = [\n       len("a") ]\n    for i in range(2):\n        try:\n            fail(i,\n              x)\n        except ValueError:\n            continue\n        else:\n            pass\n        finally:\n            x = 1\n    while True:\n        x += 1\n        if x > 3:\n            break\n    with open(__file__) as f:\n        y = f.read(\n          1)\n    return (\n       later(y))\ndef later(y): z = y; return z\ndef fail(i, x):\n    if i:\n        raise ValueError(\n            i)\n    return gen_all()\ndef gen_all():\n    return [g for g in gen()]\ndef gen():\n    for k in range(2):\n        yield k\n'}, ['main.py'], ['traced.py']),
    'profile': ({'main.py': 'import sys, mod\nlog = []\ndef prof(f, event, arg):\n    log.append((f.f_code.co_name, event, type(f.f_lineno), getattr(arg, "__name__", None)))\ndef go():\n    try: mod.C().m()\n    except ZeroDivisionError: pass\nsys.setprofile(prof)\ngo()\nsys.setprofile(None)\nfor line in log: print(line)\n'}, ['main.py'], ['mod.py']),
    'doctest_and_pdb': ({'main.py': 'import doctest, mod3\nprint(doctest.testmod(mod3))\n', 'mod3.py': 'def f(x):\n    """\n    >>> f(1)\n    3\n    """\n    return x + len("a")\n'}, ['main.py'], ['mod3.py']),
    'pdb': ({'main.py': 'import mod3\nmod3.f(1)\n', 'mod3.py': 'import pdb\ndef f(x):\n    pdb.Pdb(nosigint=True).set_trace()\n    y = [x,\n       len("a")]\n    return y\n'}, ['main.py'], ['mod3.py'], None, None, 'n\nn\nw\nl\nn\nn\nc\n'),
    'warn_location': ({'main.py': 'import warnings, dep\nwarnings.simplefilter("default")\nfor i in range(3): dep.old(); dep.old()\ndep.old(\n  )\n', 'dep.py': 'import warnings\ndef old(): warnings.warn("old", DeprecationWarning, stacklevel=2)\n'}, ['main.py'], ['dep.py']),
    'sys_modules': ({'main.py': 'import sys\nprint(sorted(m for m in sys.modules if not m.startswith("_eh_runtime")))\nprint(sys.path, sys.path_hooks and [type(h).__name__ for h in sys.path_hooks], sorted(sys.path_importer_cache), len(sys.meta_path))\nimport os\nprint(sorted(k for k in os.environ if not k.startswith("EH_")))\nprint(sys.flags, sys.argv)\n'}, ['main.py'], ['main.py']),
    'dash_c': ({}, ['-c', 'import mod, sys; print(sys.path_hooks and len(sys.path_hooks), sys.argv); mod.boom(1)', 'x'], ['mod.py']),
    'standard_input': ({}, ['-'], ['mod.py'], None, None, 'import mod\nprint(mod.VALUE)\nmod.boom(1)\n'),
    'encoding': ({'main.py': '# -*- coding: latin-1 -*-\nimport sys\nx = "\xe9\xe8"; y = len(x); z = y / (y - 2)\n'.encode('latin-1')}, ['main.py'], ['main.py']),
    'encoding_utf8': ({'main.py': '\ufeff# \xe9\nx = "\u20ac"; y = ("\U0001f600",\n  len(x)); z = len(y); w = (z /\n (z - 2))\n'.encode()}, ['main.py'], ['main.py']),
    'shadowing_names': ({'main.py': 'import json, mod\nprint(json.__file__ == __file__, json.X)\n', 'json.py': 'X = len("mine")\n'}, ['main.py'], ['json.py']),
    'importtime': ({'main.py': 'import mod, sys\n'}, ['-X', 'importtime', 'main.py'], ['mod.py'], '3.7', 'stderr'),
    'deep_expression': ({'main.py': 'x = %s\nprint(x)\ntry:\n    y = %s\nexcept Exception as e: print(type(e))\n' % ('+'.join(['1.5'] * 900), '-' * 60 + 'len("a")')}, ['main.py'], []),
    'elif_chain': ({'main.py': 'import sys\nx = len(sys.argv) + 400\nif x == 0: print(0)\n' + ''.join('elif x == %d: print(%d)\n' % (i, i) for i in range(1, 500))}, ['main.py'], ['main.py']),
    'real_sitecustomize': ({'main.py': 'import sys\nprint(sys.modules["sitecustomize"].__file__, sys.modules["sitecustomize"].X)\n', 'lib/sitecustomize.py': 'X = len("real")\nprint("real sitecustomize")\n'}, ['main.py'], ['main.py']),
}
PTH = ("import os; os.environ.get('EH_EXACT') and "
       "__import__('_eh_runtime._exact', fromlist=['install']).install()\n")
PYTHONPATH = {'real_sitecustomize': 'lib'}


def lay(root, files):
    files = dict({'mod.py': MOD, 'show.py': SHOW}, **files)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, tuple):
            path.symlink_to(text[1])
        elif isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)


def environment(**more):
    env = {k: os.environ[k] for k in ('HOME', 'LANG', 'LC_ALL', 'USER', 'LD_LIBRARY_PATH') if k in os.environ}
    env.update(PATH='/usr/local/bin:/usr/bin:/bin', PYTHONHASHSEED='0', PYTHONDONTWRITEBYTECODE='1',
               LC_ALL='C.UTF-8', LANG='C.UTF-8', COLUMNS='80', NO_COLOR='1', PYTHON_COLORS='0', TERM='dumb')
    env.update(more)
    return {k: v for k, v in env.items() if v is not None}


def call(python, args, cwd, env, stdin='', timeout=120):
    p = subprocess.run([python, *args], cwd=cwd, env=env, input=stdin.encode(), stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=timeout)
    return p.returncode, p.stdout.decode('utf-8', 'replace'), p.stderr.decode('utf-8', 'replace')


def in_cache(cache, root, name):
    digest = hashlib.sha256((root / name).read_bytes()).hexdigest()
    return any(cache.glob('*-*-*/%s/%s-*' % (digest[:2], digest[2:24])))


def tree(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob('*'))


def scenarios(base, healc, shim, pythons, check, only=None):
    import re
    for name, scenario in SCENARIOS.items():
        if only and not re.search(only, name):
            continue
        files, args, loaded, oldest, ignore, stdin = (list(scenario) + [None] * 6)[:6]
        top = Path(base, name)
        root, overlay, cache = top / 'repo', top / 'overlay', top / 'cache'
        lay(root, files)
        tool = subprocess.run([healc, 'instrument', str(root), '-o', str(overlay), '--runtime', 'none', '-q',
                               '--returns', 'auto'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        before = tree(root)
        problems = {}
        for version, python in pythons.items():
            if oldest and tuple(map(int, version.split('.'))) < tuple(map(int, oldest.split('.'))):
                continue
            shutil.rmtree(cache, ignore_errors=True)
            own = PYTHONPATH.get(name)
            original = call(python, args, root, environment(PYTHONPATH=own), stdin or '')
            exact = environment(EH_EXACT=str(overlay), EH_REPO=str(root), EH_CACHE=str(cache),
                                PYTHONPATH=shim + (':' + own if own else ''))
            found = []
            for what in 'cold', 'warm':
                result = call(python, args, root, exact, stdin or '')
                for part, a, b in zip(('exit code', 'stdout', 'stderr'), original, result):
                    a, b = (re.sub(r'0x[0-9a-f]{4,}', '0xADDR', str(t)) for t in (a, b))
                    if a != b and part != ignore:
                        found.append('%s: %s:\n%s' % (what, part, '\n'.join(list(difflib.unified_diff(a.splitlines(), b.splitlines(), 'original', 'exact', lineterm='', n=2))[:40])))
            found += ['%s did not come from the overlay' % f for f in loaded if not in_cache(cache, root, f)]
            if tree(root) != before:
                found.append('new files: %s' % sorted(set(tree(root)) - set(before)))
            if found:
                problems.setdefault('\n'.join(found), []).append(version)
        versions = [v for v in pythons]
        for version in versions:
            text = [t for t, vs in problems.items() if version in vs]
            check('behaviour %s [%s]' % (name, version), not text, text[0] if text else '')


def special(base, healc, shim, pythons, check):
    """What is not a comparison of two runs."""
    for version, python in pythons.items():
        top = Path(base, 'special-' + version)
        root, overlay, cache = top / 'repo', top / 'overlay', top / 'cache'
        lay(root, {'main.py': 'import mod\nprint(mod.boom.__code__.co_names)\nprint(mod.boom(3))\n'})
        instrument = [healc, 'instrument', str(root), '-o', str(overlay), '--runtime', 'none', '-q']
        subprocess.run(instrument, check=True)

        def env(**more):
            return environment(**dict(dict(EH_EXACT=str(overlay), EH_REPO=str(root), EH_CACHE=str(cache), PYTHONPATH=shim), **more))

        def run(args=('main.py',), **more):
            return call(python, args, root, env(**more))

        def ok(name, good, detail=''):
            check('%s [%s]' % (name, version), good, detail)

        # many processes with a cold cache
        ps = [subprocess.Popen([python, 'main.py'], cwd=root, env=env(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(8)]
        outs = {p.communicate()[0] for p in ps}
        ok('eight processes at once', len(outs) == 1 and b'__eh__' in next(iter(outs)), repr(outs))
        ok('no temporary files are left', not list(cache.rglob('*.tmp')))
        stamps = {p: p.stat().st_mtime_ns for p in cache.rglob('*') if p.is_file()}
        first = run()
        ok('a warm cache is not written', stamps == {p: p.stat().st_mtime_ns for p in cache.rglob('*') if p.is_file()})
        # damage
        for how in 'truncated', 'flipped', 'emptied':
            for p in stamps:
                data = p.read_bytes()
                p.write_bytes({'truncated': data[:len(data) // 2], 'emptied': b'',
                               'flipped': data[:-9] + bytes((data[-9] ^ 1,)) + data[-8:]}[how])
            again = run()
            ok('a cache that was ' + how, again == first, repr(again))
        # no cache, read-only cache
        ok('no cache', run(EH_CACHE='off') == first)
        ok('a cache that cannot be made', run(EH_CACHE='/proc/nothing/here') == first)
        home = top / 'home'
        ok('a cache in the home folder', run(EH_CACHE=None, HOME=str(home), XDG_CACHE_HOME=None) == first
           and any((home / '.cache/healc').rglob('*-*')), repr(tree(home) if home.exists() else None))
        # EH_EXACT=1, no EH_REPO, an overlay that is not there
        ok('EH_EXACT=1', run(EH_EXACT='1', EH_OVERLAY=str(overlay)) == first)
        ok('without EH_REPO', run(EH_REPO=None) == first)
        other = run(EH_EXACT=str(top / 'nothing'))
        ok('no overlay: the original and a word', other[0] == 0 and '__eh__' not in other[1] and other[2].startswith('healc: ') and other[2].count('\n') == 1, repr(other))
        copy = top / 'site/packages'
        copy.mkdir(parents=True)
        shutil.copy(root / 'mod.py', copy / 'mod.py')
        away = call(python, ['-c', 'import mod; print("__eh__" in mod.boom.__code__.co_names, mod.boom.__code__.co_filename)'], copy, env(EH_REPO=None))
        ok('an installed copy', away[1].split() == ['True', str(copy / 'mod.py')], repr(away))
        # an installed runtime: no PYTHONPATH, and children with any environment
        venv = top / 'venv'
        subprocess.run([python, '-m', 'venv', '--without-pip', str(venv)], check=True)
        packages = next(venv.glob('lib/python*/site-packages'))
        shutil.copytree(Path(shim, '_eh_runtime'), packages / '_eh_runtime')
        (packages / 'healc-exact.pth').write_text(PTH)
        child = ('import subprocess, sys, os; print(sys.path); sys.stdout.flush(); print(subprocess.check_output('
                 '[sys.executable, "main.py"], env=dict(os.environ)).decode())')
        installed = call(str(venv / 'bin/python'), ['-c', child], root, env(PYTHONPATH=None))
        plain = call(str(venv / 'bin/python'), ['-c', child], root, environment())
        ok('an installed runtime', installed[2] == '' and "('__eh__',)" in installed[1]
           and installed[1].replace("('__eh__',)", '()') == plain[1], repr((installed, plain)))
        # healing
        script = top / 'heal.py'
        script.write_text('snippets = {"mod.py:5": "y = [42]"}\n')
        healed = call(python, ['-c', 'import mod; print(mod.boom(1))'], root, env(EH_MODE='script', EH_SCRIPT=str(script)))
        ok('healing', healed == (0, '[42]\n', ''), repr(healed))
        script.write_text('snippets = {"mod.py:8": "_eh_rtn = 43"}\n')
        source = root / 'mod.py'
        original = source.read_text()
        source.write_text(original.replace('    return y', '    return y[5]'))
        subprocess.run(instrument, check=True)
        healed = call(python, ['-c', 'import mod; print(mod.boom(3), mod.boom.__code__.co_varnames)'], root,
                      env(EH_MODE='script', EH_SCRIPT=str(script)))
        ok('healing a return', healed == (0, "43 ('x', 'y')\n", ''), repr(healed))
        source.write_text(original)
        subprocess.run(instrument, check=True)
        # changed since
        (root / 'mod.py').write_text(MOD.replace('boom(x)', 'boom(x, y=1)'))
        changed = run()
        ok('a changed file runs unchanged, with one warning',
           changed[0] == 0 and "('__eh__'" not in changed[1] and changed[2].count('\n') == 1 and 'mod.py' in changed[2], repr(changed))
        subprocess.run(instrument, check=True)
        ok('instrumented again', run() == (0, changed[1].replace('()', "('__eh__',)"), ''), repr(run()))
        # zip
        if tuple(map(int, version.split('.'))) >= (3, 8):
            archive = top / 'app.zip'
            with zipfile.ZipFile(archive, 'w') as z:
                z.write(root / 'mod.py', 'mod.py')
                z.write(root / 'show.py', 'show.py')
                z.writestr('__main__.py', 'import mod, sys\nprint(mod.boom.__code__.co_names, mod.__file__, sys.path[0])\nmod.boom(1)\n')
            a, b = call(python, [str(archive)], root, environment()), call(python, [str(archive)], root, env(EH_REPO=None))
            ok('zip', a[0] == b[0] and a[2] == b[2] and b[1] == a[1].replace('()', "('__eh__',)"), repr((a, b)))
            c = call(python, [str(archive)], root, env())
            ok('zip with EH_REPO', c == b, repr(c))
        shutil.rmtree(top, ignore_errors=True)
