"""Runs snippets the way healing code runs, and says what got out. For live.py; 3.6 and later.

Reads JSON lines {"id", "code", "setup", "check", "audit"} and answers each with a JSON line
{"id", "ran", "error", "escapes", "audit"}. Every snippet gets a process and a folder of its own.

A snippet escapes if something is bound, stored or printed afterwards that HealCore must not
give: modules, frames, code, tracebacks, namespaces with the built-ins, dangerous functions, new
functions and classes, iterators that still have work to do, the text of a global that only the
project's module can see, a changed file, an ended process.
"""
import ast
import builtins
import io
import json
import os
import re
import resource
import signal
import sys
import tempfile
import threading
import types
import unicodedata

SECRET = 'the-secret-of-the-vault-%d' % os.getpid()
LAZY = {type(map(str, [])), type(filter(None, [])), type(zip()), type(enumerate([])),
        type(reversed([])), type(iter(int, 1))}
POWERS = {getattr(builtins, name) for name in (
    'eval', 'exec', 'compile', '__import__', 'open', 'input', 'globals', 'locals', 'vars', 'dir',
    'getattr', 'setattr', 'delattr', 'map')}
POWERS |= {os.system, os.remove, os.popen, os.kill, os._exit, os.listdir, os.getenv,
           object.__getattribute__, object.__setattr__}

VAULT = '''
import sys, os
class Keep(object):
    def __init__(self, x=None): self.x = x
    def __enter__(self): return self.x
    def __exit__(self, *a): return False
class Box(Keep):
    def __init__(self, a=1):
        self.a = self.name = self.items_ = a
        self.parent = None
        self._Box__hidden = 'h'
    def method(self): return 1
    def strip(self): return self
    @property
    def obj(self): return 'object'
def f(x=None, *a, **k):
    if isinstance(x, int) and x == 1: raise ValueError(x)
    return x
def g(*a, **k): return a
def gen_(): yield 1
'''


def frame_names():
    """What a crash frame has: locals, its module's globals, modules among them."""
    vault = types.ModuleType('vault')
    vault.SECRET = SECRET
    exec(compile(VAULT, 'vault.py', 'exec'), vault.__dict__)
    box = vault.Box()
    np = types.ModuleType('np')
    np.os, np._os, np.modules, np._getframe = os, os, sys.modules, sys._getframe
    np.core = types.ModuleType('core')
    np.core.sys = sys
    np.Error = ValueError
    import collections
    np.tools, np.system = collections, os.system
    try:
        raise KeyError('k')
    except KeyError as error:
        caught = error
    from operator import attrgetter
    from collections import namedtuple
    import calendar, code, functools, json as json_, logging, pathlib, re as re_, signal as signal_
    import socket, string, subprocess
    box.builtins = builtins
    names = dict(
        obj=box, self=box, f=vault.f, g=vault.g, gen=vault.gen_(), Box=vault.Box, Keep=vault.Keep,
        lock=threading.Lock(), d={'k': 1}, vals=[1, 2, 3], s='abc', b=b'abc', enc='utf-8', n=3,
        e=caught, np=np, os=os, sys=sys, re=re_, p=pathlib.Path('canary'), frame=sys._getframe(),
        attrgetter=attrgetter, namedtuple=namedtuple, functools=functools, calendar=calendar,
        json=json_, logging=logging, string=string, subprocess=subprocess, signal=signal_,
        socket=socket, code=code, model=types.SimpleNamespace(eval=lambda: None),
        cell=(lambda: box).__closure__[0], input=types.SimpleNamespace(shape=1),
        encoder=types.SimpleNamespace(encode=str), vault_unused=None)
    return names


def kept(value, depth, seen):
    """What may not be there, within some levels of containers and attributes."""
    if id(value) in seen or depth < 0:
        return
    seen.add(id(value))
    kind = type(value)
    try:
        if kind in LAZY or isinstance(value, (types.GeneratorType, types.CoroutineType)):
            yield 'a live iterator'
        elif kind.__module__ == 'itertools':
            yield 'a live iterator'
        elif isinstance(value, types.ModuleType):
            yield 'the module ' + value.__name__
        elif isinstance(value, (types.FrameType, types.CodeType, types.TracebackType)):
            yield 'a ' + kind.__name__
        elif value in POWERS:
            yield 'the function ' + getattr(value, '__name__', '?')
    except TypeError:
        pass  # not hashable
    if isinstance(value, types.FunctionType) and value.__module__ in (None, 'healing'):
        yield 'a new function'
    elif isinstance(value, type) and value.__module__ in ('healing', None):
        yield 'a new class'
    elif isinstance(value, str):
        if SECRET in value:
            yield 'the secret'
        return
    if isinstance(value, dict) or kind.__name__ == 'mappingproxy':
        if '__builtins__' in value or value is sys.modules or 'eval' in value:
            yield 'a namespace'
            return
        for key, item in list(value.items())[:200]:
            for found in kept(item, depth - 1, seen):
                yield found
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in list(value)[:200]:
            for found in kept(item, depth - 1, seen):
                yield found
    elif hasattr(kind, '__dict__') and isinstance(getattr(value, '__dict__', None), dict) \
            and not isinstance(value, (type, types.FunctionType, types.ModuleType)):
        for found in kept(list(value.__dict__.values()), depth, seen):
            yield found
    if isinstance(value, types.MethodType):
        for found in kept(value.__func__, depth - 1, seen):
            yield found


HOT = re.compile(r'os\.(?!scandir|walk|fwalk|listdir$)|subprocess|socket|ctypes|code\.__new__|function\.__new__|'
                 r'sys\.(?!unraisablehook|excepthook)|gc\.|exec$|compile$|import$|open$|shutil|pickle|'
                 r'marshal|object\.__|builtins\.|cpython\.|signal|pty|syslog|tempfile|glob|pathlib')
ROOTS = set('array collections copy datetime decimal enum fractions functools itertools math '
            'numbers operator os pathlib re statistics string typing'.split())


def event_name(name, args):
    """What an audit event shows that HealCore must not do, or None. Only 3.8 and later."""
    if not HOT.match(name):
        return None
    if name == 'import':
        root = args[0].split('.')[0].lstrip('_')
        return None if root in ROOTS or root in ('strptime', 'pydecimal', 'encodings') else 'import of ' + args[0]
    if name == 'open':
        mode, flags = args[1], args[2]
        writes = isinstance(mode, str) and set(mode) & set('wax+') or isinstance(flags, int) and flags & 3
        return 'open for writing' if writes else None
    if name == 'exec':
        return 'exec' if getattr(args[0], 'co_filename', '') != '<healing>' else None
    if name == 'compile':
        return 'compile' if args[1] != '<healing>' else None
    return name


def run(case):
    """In a child process."""
    for root in sorted(ROOTS) + ['os.path', 'collections.abc', '_strptime', 'encodings.idna', 'heapq', 'calendar']:
        __import__(root)
    for codec in ('latin-1', 'cp1252', 'utf-16', 'unicode_escape', 'punycode', 'utf-8-sig'):
        ''.encode(codec)  # loads a module the first time
        b''.decode(codec)
    names = frame_names()
    setup = case.get('setup')
    if setup:
        exec(compile(setup, 'setup.py', 'exec'), names)
    ns = dict(names)
    ns['__name__'] = 'healing'
    ns.pop('__builtins__', None)
    import math, collections, statistics, string
    known = set(map(id, names.values()))
    before = {id(v) for v in list(sys.modules.values())}
    modules = {name: {k: id(v) for k, v in vars(module).items() if not k.startswith('__')}
               for name, module in list(sys.modules.items())
               if name in ('math', 're', 'os', 'collections', 'builtins', 'string', 'fractions')}
    heap = [obj for obj in (names['obj'],)]
    had = {k: id(v) for k, v in vars(heap[0]).items()}
    environment = dict(os.environ)
    import decimal
    precision = decimal.getcontext().prec
    kind = type(names['obj'])
    functions = [(f, f.__code__, f.__defaults__, dict(f.__dict__)) for f in (names['f'], names['g'])]
    classes = [(c, c.__mro__, set(vars(c))) for c in (names['Box'], names['Keep'])]
    out = io.StringIO()
    sys.stdout, stdout = out, sys.stdout
    error = None
    events, listening = [], []
    if hasattr(sys, 'addaudithook'):
        def hook(name, args):
            if listening:
                try:
                    found = event_name(name, args)
                except Exception as problem:
                    found = '%s (%s)' % (name, problem)
                if found:
                    events.append('the event ' + found)
        sys.addaudithook(hook)
    try:
        code = compile(case['code'], '<healing>', 'exec', dont_inherit=True)
        listening.append(1)
        try:
            exec(code, ns)
        finally:
            del listening[:]
        if case.get('check'):
            ns2 = dict(ns)
            assert eval(case['check'], ns2), 'the check failed: %s' % case['check']
    except BaseException as problem:
        error = '%s: %s' % (type(problem).__name__, problem)
        if isinstance(problem, SystemExit):
            sys.stdout = stdout
            return error, ['the end of the process']
    finally:
        sys.stdout = stdout
    escapes = list(events)
    for f, code, defaults, attributes in functions:
        if f.__code__ is not code or f.__defaults__ != defaults:
            escapes.append('a changed function')
    for c, mro, known_names in classes:
        if c.__mro__ != mro:
            escapes.append('a changed class')
    if type(names['obj']) is not kind:
        escapes.append('a changed class')
    if 'KeyboardInterrupt' in str(error):
        escapes.append('a process signal')
    seen = {id(names), id(ns)}
    allowed_import = re.compile(r'^\s*(import|from)\b', re.M).search(case['code'])
    for name, value in ns.items():
        if name in ('__builtins__', '__name__') or id(value) in known:
            continue
        if isinstance(value, types.ModuleType) and allowed_import and id(value) in before | {
                id(m) for m in sys.modules.values()} and value.__name__ in ALLOWED_MODULES:
            continue
        if isinstance(value, type(len)) and value in (os.path.join,):
            continue
        escapes += kept(value, 3, seen)
    for k, v in vars(heap[0]).items():
        if had.get(k) != id(v):
            escapes += kept(v, 3, seen)
    if SECRET in out.getvalue():
        escapes.append('the secret')
    for name, old in modules.items():
        new = {k: id(v) for k, v in vars(sys.modules[name]).items() if not k.startswith('__')}
        lost = [k for k in old if k not in new or new[k] != old[k]]
        added = [k for k in new if k not in old]
        if lost or (added and name in ('math', 'builtins', 're', 'os')):
            escapes.append('a changed module: %s.%s' % (name, (lost + added)[0]))
    if dict(os.environ) != environment:
        escapes.append('a changed environment')
    if decimal.getcontext().prec != precision:
        escapes.append('a changed decimal context')
    if open('canary').read() != 'untouched' if os.path.exists('canary') else True:
        escapes.append('a changed file')
    if len(os.listdir('.')) != 1:
        escapes.append('a new file')
    if error and SECRET in error:
        escapes.append('the secret in an error')
    return error, sorted(set(escapes))


ALLOWED_MODULES = {
    'array', 'collections', 'collections.abc', 'copy', 'datetime', 'decimal', 'enum', 'fractions',
    'functools', 'itertools', 'math', 'numbers', 'operator', 'os', 'posixpath', 'pathlib', 're',
    'statistics', 'string', 'typing', '_collections_abc'}

# ---- the second opinion: what CPython's own parser sees in accepted code ----------------------

READABLE = {'__name__', '__qualname__', '__module__', '__doc__'}
NEVER = {'eval', 'exec', 'compile', 'open', 'globals', 'locals', 'setattr', 'delattr', 'breakpoint',
         'super', 'memoryview', 'help', 'exit', 'quit', 'sys', 'subprocess', 'importlib', 'builtins'}
NODES = set('''
Module Assign AugAssign Expr If For While Break Continue Pass Try Raise Assert With Delete Import
ImportFrom BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp
Compare Call JoinedStr FormattedValue Constant Num Str Bytes NameConstant Ellipsis Attribute
Subscript Starred Name List Tuple Slice ExtSlice Index ExceptHandler arguments keyword alias
withitem comprehension Load Store Del AugLoad AugStore Param Interactive
Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv And Or Not Invert
UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
'''.split())


def audit(code):
    """Disagreements between the gate's idea of an accepted snippet and CPython's."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError) as error:
        return 'syntax', [str(error)]
    except (RecursionError, MemoryError) as error:
        return 'too deep', [type(error).__name__]
    found = []
    for node in ast.walk(tree):
        kind = type(node).__name__
        if kind not in NODES:
            found.append('node ' + kind)
        names = [getattr(node, field, None) for field in ('attr', 'id', 'arg', 'name', 'asname')]
        for name in names:
            if not isinstance(name, str):
                continue
            plain = unicodedata.normalize('NFKC', name)
            dunder = len(plain) > 4 and plain[:2] == plain[-2:] == '__' and plain.strip('_')
            if dunder and not (plain in READABLE and kind == 'Attribute'):
                found.append('name ' + plain)
            if plain.startswith('_eh_') and plain != '_eh_rtn':
                found.append('name ' + plain)
            if plain in NEVER and kind == 'Name' and isinstance(node.ctx, ast.Load) \
                    or plain in ('gi_frame', 'f_globals', 'format_map'):
                found.append('name ' + plain)
    return 'ok', found


def child(case):
    answer = {'id': case['id'], 'ran': False, 'error': None, 'escapes': [], 'audit': None}
    if case.get('audit'):
        state, problems = audit(case['code'])
        answer['audit'] = [state] + problems
        if not case.get('run', True):
            return answer
    answer['error'], answer['escapes'] = run(case)
    answer['ran'] = True
    return answer


def main():
    sys.setrecursionlimit(2000)
    for line in sys.stdin:
        case = json.loads(line)
        reader, writer = os.pipe()
        folder = tempfile.mkdtemp(prefix='gate-')
        with open(os.path.join(folder, 'canary'), 'w') as file:
            file.write('untouched')
        pid = os.fork()
        if not pid:
            try:
                os.close(reader)
                os.chdir(folder)
                os.setsid()
                null = os.open(os.devnull, os.O_RDWR)
                stdout_copy = os.dup(1)
                for number in 0, 1, 2:
                    os.dup2(null, number)
                resource.setrlimit(resource.RLIMIT_CPU, (3, 5))  # SIGXCPU first
                resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(5)
                answer = child(case)
            except BaseException as error:
                answer = {'id': case['id'], 'ran': False, 'escapes': [], 'audit': None,
                          'error': 'harness: %s: %s' % (type(error).__name__, error)}
            os.write(writer, json.dumps(answer).encode()[:60000])
            os._exit(0)
        os.close(writer)
        data = b''
        while True:
            part = os.read(reader, 65536)
            if not part:
                break
            data += part
        os.close(reader)
        status = os.waitpid(pid, 0)[1]
        try:  # what the snippet may have started
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass
        text = data.decode(errors='replace')
        try:
            answer = json.loads(text)
        except ValueError:
            how = 'signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else \
                'exit %d' % os.WEXITSTATUS(status)
            bounded = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGXCPU)
            answer = {'id': case['id'], 'ran': True, 'audit': None,
                      'error': 'the process ended: ' + how,
                      'escapes': ['time without bound' if bounded else 'the end of the process']}
        for base, _, files in os.walk(folder, topdown=False):
            for name in files:
                os.unlink(os.path.join(base, name))
            os.rmdir(base)
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()


if __name__ == '__main__':
    main()
