"""Will the program handle an exception itself?

From the frame where it was caught up the stack, frame by frame: the handlers and `with`
blocks around the instruction that the frame is at (_flow), what the C function or the
operation between two frames does with it, and the rules of rules/heal.toml, for what
cannot be read off code. Handler types are evaluated in their frames, names and plain
attributes only: no code of the program runs.

Nothing is kept: no frame, traceback or object outlives a call of `decide`.
"""
import builtins
import sys
from functools import partial
from gc import get_referents
from re import compile as pattern, escape
from types import (BuiltinFunctionType, FunctionType, GetSetDescriptorType, MemberDescriptorType,
                   MethodType, ModuleType)

from _eh_runtime import _flow, _write

_WRAPS_SET_NAME = sys.version_info < (3, 12)  # into a RuntimeError
_QUALNAMES = sys.version_info >= (3, 11)  # code objects know theirs
_COROUTINE = 0x80 | 0x100 | 0x20 | 0x200  # also generators: tasks of old take them
_GENERATORS = 'contextlib'
_MISSING = object()
_GROUP = getattr(builtins, 'ExceptionGroup', Exception)
_CLASS_DICT = type.__dict__['__dict__'].__get__
_MRO = type.__dict__['__mro__'].__get__
_QUALNAME = type.__dict__['__qualname__'].__get__
_ITERATING = 'FOR_ITER', 'GET_ITER', 'GET_YIELD_FROM_ITER', 'CALL', 'UNPACK', 'CONTAINS', 'COMPARE', \
    'LIST_', 'SET_', 'BUILD_', 'YIELD_FROM', 'SEND', 'DICT_'


def _globs(texts):
    """One pattern for many of text and `*`."""
    return pattern('(?:%s)\\Z' % '|'.join(
        '.*'.join(map(escape, text.split('*'))) for text in texts)).match


class _Where:
    """`module:qualified.name` patterns. Without qualified names the last one counts."""

    def __init__(self, texts):
        self.full = _globs(texts)
        self.last = _globs([m + ':' + q.rpartition('.')[2]
                            for m, _, q in (text.partition(':') for text in texts)])

    def frame(self, frame):
        module = frame.f_globals.get('__name__')
        if type(module) is not str:
            return False
        code = frame.f_code
        if _QUALNAMES:
            return self.full(module + ':' + code.co_qualname)
        return self.last(module + ':' + code.co_name)

    def value(self, value):
        name = name_of(value)
        return name is not None and self.full(name)


def name_of(value):
    """`module:qualname` of a function or class, past whatever it does with attributes."""
    try:
        kind = type(value)
        if kind is MethodType:
            value, kind = value.__func__, type(value.__func__)
        if kind is FunctionType or kind is BuiltinFunctionType:
            module, name = value.__module__, value.__qualname__
        elif isinstance(value, type):
            module, name = type.__getattribute__(value, '__module__'), _QUALNAME(value)
        else:
            return None
        return '%s:%s' % (module, name) if type(module) is str and type(name) is str else None
    except Exception:
        return None


def kind_names(kind):
    """The dotted names of a type and of all that it is derived from."""
    for base in _MRO(kind):
        name = name_of(base)
        if name:
            yield name.replace(':', '.')


def attribute(value, name):
    """`value.name` without running code: modules, classes, plain instances."""
    if isinstance(value, ModuleType):
        return ModuleType.__getattribute__(value, '__dict__').get(name, _MISSING)
    if isinstance(value, type):
        for base in _MRO(value):
            found = _CLASS_DICT(base).get(name, _MISSING)
            if found is not _MISSING:
                return found.__func__ if type(found) in (staticmethod, classmethod) else found
        return _MISSING
    for base in _MRO(type(value)):
        found = _CLASS_DICT(base).get(name, _MISSING)
        if found is not _MISSING:
            break
    if type(found) in (MemberDescriptorType, GetSetDescriptorType):
        try:
            return found.__get__(value)  # in C: slots, fields of built-in types
        except AttributeError:
            return _MISSING
    try:
        own = object.__getattribute__(value, '__dict__')
        if type(own) is dict and name in own:
            return own[name]
    except Exception:
        pass
    if type(found) in (staticmethod, classmethod):
        return found.__func__
    return _MISSING if type(found) is property else found


def local(frame, name):
    """A local variable, or _MISSING. A snapshot of the others is not left behind."""
    code = frame.f_code
    if code.co_flags & _write._OPTIMIZED:
        if name not in code.co_varnames and name not in code.co_cellvars \
                and name not in code.co_freevars:
            return _MISSING
        return _write._read_fast(frame, _write._own(code)).get(name, _MISSING)
    space = frame.f_locals
    return dict.get(space, name, _MISSING) if isinstance(space, dict) else _MISSING


def path(frame, text):
    """`name.attribute.attribute`, seen from a frame."""
    name, *rest = text.split('.')
    value = local(frame, name)
    for name in rest:
        if value is _MISSING:
            return value
        value = attribute(value, name)
    return value


class _Scope:
    """Where the names of an expression are looked up: a frame, or a function to come."""

    def __init__(self, space, frame=None, known=None):
        self.globals, self.frame, self.known = space, frame, known

    def evaluate(self, x):
        what = x[0]
        if what == 'const':
            return x[1]
        if what == 'attr':
            value = self.evaluate(x[1])
            return _MISSING if value is _MISSING else attribute(value, x[2])
        if what == 'tuple':
            values = tuple([self.evaluate(item) for item in x[1]])
            return _MISSING if any(v is _MISSING for v in values) else values
        if what == 'function':
            return x[1]
        if what not in ('global', 'name', 'local'):
            return _MISSING
        name = x[1]
        if what != 'global':
            if self.frame is not None:
                value = local(self.frame, name)
            else:
                value = self.known.get(name, _MISSING)
            if value is not _MISSING or what == 'local':
                return value
        if name in self.globals:
            return self.globals[name]
        inner = self.globals.get('__builtins__', builtins)
        inner = inner if isinstance(inner, dict) else vars(inner)
        return inner.get(name, _MISSING)


def _takes(value, kinds):
    """Whether `except value` takes an exception of one of `kinds`, as the interpreter compares."""
    if type(value) is tuple:
        return any(_takes(item, kinds) for item in value)
    return isinstance(value, type) and any(base is value for kind in kinds for base in _MRO(kind))


def _is_broad(value):
    return value is Exception or value is BaseException


def _are(kinds, base):
    return any(issubclass(kind, base) for kind in kinds)


def _returns_something(code):
    """Whether a function may return more than None and False."""
    flow = _flow.of(code)
    for i, at in enumerate(flow.code):
        if at.opname == 'RETURN_CONST':
            if at.argval is not None and at.argval is not False:
                return True
        elif at.opname == 'RETURN_VALUE' and flow.states[i] is not None:
            stack = flow.states[i][0]
            if not (stack and stack[-1][0] == 'const' and stack[-1][1] in (None, False)):
                return True
    return False


class _Judge:
    """What _flow asks about a scope."""

    def __init__(self, policy, scope, depth=0):
        self.policy, self.scope, self.depth = policy, scope, depth

    def match(self, x, kinds):
        if x[0] == 'call' and x[1][0] == 'function' and x[1][1].co_names == ('__eh__',):
            return False  # ours, in a class
        value = self.scope.evaluate(x)
        if value is _MISSING:
            return None
        if hasattr(type(value), '_eh_runtime_'):
            return False
        if not self.policy.broad and x[0] != 'local' and _is_broad(value):
            return False
        return _takes(value, kinds)

    def raised(self, x):
        if x is None:
            return None
        value = self.scope.evaluate(x[1] if x[0] == 'call' else x)
        if value is _MISSING:
            return None
        if not isinstance(value, type):
            value = type(value)
        return value if issubclass(value, BaseException) else None

    def swallows(self, x, kinds):
        """False, True, None (it may), or a text: which rule says so."""
        value = self.scope.evaluate(x[1] if x[0] == 'call' else x)
        if value is _MISSING:
            return False
        if x[0] != 'call' and not isinstance(value, type):
            subject, instance = type(value), value
        else:
            subject, instance = value, None
        for where, types in self.policy.managers:
            if where.value(subject):
                found = self._types(types, x, instance)
                if found is not _MISSING:
                    return found is not None and _takes(found, kinds) and 'rule'
        if isinstance(subject, type):
            leave = attribute(subject, '__exit__')
            if leave is _MISSING:
                leave = attribute(subject, '__aexit__')
            if type(leave) is FunctionType and _returns_something(leave.__code__):
                return self.policy.unclear and None
            return False
        return self._generator(subject, x, kinds)

    def _types(self, types, x, instance):
        """The exception types that a manager of the rules swallows; None: none."""
        if types == 'none':
            return None
        if types == 'all':
            return BaseException
        if types.startswith('.'):
            return _MISSING if instance is None else attribute(instance, types[1:])
        if x[0] != 'call' or x[2] is None:
            return _MISSING
        if types == 'arguments':
            return tuple([v for v in map(self.scope.evaluate, x[2]) if v is not _MISSING])
        number, keyword = types.split()
        if int(number) < len(x[2]):
            return self.scope.evaluate(x[2][int(number)])
        for name, value in x[3]:
            if name == keyword:
                return self.scope.evaluate(value)
        return _MISSING

    def _generator(self, function, x, kinds):
        """Managers that contextlib makes of generators: what surrounds the `yield`."""
        if self.depth > 3 or type(function) is not FunctionType:
            return False
        inner = function.__dict__.get('__wrapped__')
        if type(inner) is not FunctionType or function.__globals__.get('__name__') != _GENERATORS:
            return False
        code, known = inner.__code__, {}
        if x[0] == 'call' and x[2] is not None:
            names = code.co_varnames[:code.co_argcount]
            skip = 1 if x[1][0] == 'attr' and names[:1] == ('self',) else 0
            if skip:
                known['self'] = self.scope.evaluate(x[1][1])
            for name, value in tuple(zip(names[skip:], x[2])) + x[3]:
                known[name] = self.scope.evaluate(value)
        for name, cell in zip(code.co_freevars, inner.__closure__ or ()):
            try:
                known[name] = cell.cell_contents
            except ValueError:
                pass
        judge = _Judge(self.policy, _Scope(inner.__globals__, known=known), self.depth + 1)
        flow = _flow.of(code)
        for at in flow.code:
            if at.opname == 'YIELD_VALUE':
                out, _kind, why = flow.leave(at.offset, kinds, judge)
                if not out:
                    if why[0] == 'except' and why[2] is None:
                        return self.policy.unclear and None
                    return why[0] != 'bare' or self.policy.broad
        return False


class _Surface:
    def __init__(self, rule):
        self.where = _Where(rule['where'])
        self.unless = rule.get('unless', ())
        self.handled = _globs(rule['except']) if rule.get('except') else None


class Policy:
    """rules/heal.toml, as JSON."""

    def __init__(self, data):
        self.raise_pauses = data['raise-statement'] == 'pause'
        self.assert_pauses = data['assert-statement'] == 'pause'
        self.broad = data['broad-handlers'] == 'expected'
        self.unclear = data['unclear-managers'] == 'expected'
        self.unawaited = data['unawaited'] == 'expected'
        self.include, self.exclude = _globs(data['include']), data['exclude'] and _globs(data['exclude'])
        self.never = _globs(data['never']['types'])
        self.nowhere = set(data['never']['functions'])
        self.surfaces = [_Surface(rule) for rule in data.get('surface', ())]
        self.transparent = _Where([w for rule in data.get('transparent', ()) for w in rule['where']])
        self.transports = [(_Where(rule['where']), rule['future'], rule.get('unawaited') == 'expected')
                           for rule in data.get('transport', ())]
        self.managers = [(_Where(rule['where']), rule['types']) for rule in data.get('manager', ())]
        self.calls = [(_Where(rule['where']), rule.get('from', 0), set(rule.get('functions', ())),
                       _globs(rule['types'])) for rule in data.get('call', ())]

    def covers(self, path):
        return bool(self.include(path)) and not (self.exclude and self.exclude(path))

    def is_never(self, kind):
        return any(self.never(name) for name in kind_names(kind))


def _place(frame):
    return '%s:%d in %s' % (frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)


def _describe(x):
    if x is None:
        return ''
    if x[0] in ('global', 'name', 'local'):
        return x[1]
    if x[0] == 'attr':
        return '%s.%s' % (_describe(x[1]), x[2])
    if x[0] == 'tuple':
        return '(%s)' % ', '.join(map(_describe, x[1]))
    if x[0] == 'call':
        return _describe(x[1]) + '(...)'
    return '...'


class Look:
    """One look up the stack. A verdict is (expected, reason)."""

    def __init__(self, policy):
        self.policy = policy
        self.futures = 0

    def up(self, frame, kinds):
        """From `frame`, for an exception that is raised where the frame is now."""
        below = None
        while frame is not None:
            if below is not None:
                verdict, kinds = self._between(frame, below, kinds)
                if verdict:
                    return verdict
            if frame.f_code.co_name in self.policy.nowhere:
                return True, 'nobody gets exceptions of %s' % _place(frame)
            verdict, kinds = self._in(frame, kinds)
            if verdict:
                return verdict
            below, frame = frame, frame.f_back
        return False, 'nothing on the stack handles it'

    def _in(self, frame, kinds):
        """The handlers of one frame: (verdict or None, type that goes on)."""
        code = frame.f_code
        flow = _flow.of(code)
        offset = frame.f_lasti
        if offset < 0:
            return None, kinds
        judge = _Judge(self.policy, _Scope(frame.f_globals, frame))
        out, after, why = flow.leave(offset, kinds, judge)
        if after != kinds and any(map(self.policy.is_never, after)):
            return (True, 'turned into control flow at %s' % _place(frame)), kinds
        kinds = after
        if out:
            return None, kinds
        how, x, test = why
        if how == 'with' and test == 'rule':
            return (True, '`with %s` at %s' % (_describe(x), _place(frame))), kinds
        if self.policy.transparent.frame(frame):
            return None, kinds
        for where, name, fine in self.policy.transports:
            if where.frame(frame):
                return self._future(path(frame, name), frame, kinds, fine), kinds
        broad = how in ('bare', 'finally') or how == 'with' or how == 'except' and (
            x[0] in ('global', 'name', 'attr') and _is_broad(judge.scope.evaluate(x)))
        if broad:
            for rule in self.policy.surfaces:
                if rule.where.frame(frame):
                    return self._surfaced(rule, frame, kinds), kinds
            if not self.policy.broad and how != 'with':
                return None, kinds
        return (True, self._reason(how, x, test, frame)), kinds

    @staticmethod
    def _reason(how, x, test, frame):
        if how == 'except':
            text = '`except %s`' % _describe(x) + ('' if test else ', which may take it,')
        elif how == 'with':
            text = '`with %s`' % _describe(x) + ('' if test else ', which may swallow it,')
        elif how == 'replaced':
            text = 'a handler that raises another exception'
        else:
            text = {'bare': '`except:`', 'finally': 'a `finally` that leaves'}.get(how, 'a handler')
        return '%s around %s' % (text, _place(frame))

    def _surfaced(self, rule, frame, kinds):
        if rule.handled and any(
                rule.handled(name) for kind in kinds for name in kind_names(kind)):
            return True, 'handled by %s' % _place(frame)
        for name in rule.unless:
            value = path(frame, name)
            if value is not _MISSING and value is not None and value is not False:
                return True, 'wanted by %s (%s)' % (_place(frame), name)
        return False, 'surfaces at %s' % _place(frame)

    def _between(self, frame, below, kinds):
        """What stands between a frame and the one that it called: C code, perhaps."""
        flow = _flow.of(frame.f_code)
        i = flow.at(frame.f_lasti)
        while flow.code[i].opname in ('PRECALL', 'CACHE') and i + 1 < len(flow.code):
            i += 1  # 3.11: specialized, PRECALL makes the call
        name, inner = flow.code[i].opname, below.f_code
        if name.startswith('CALL') and name != 'CALL_FINALLY':
            verdict = self._called(flow, i, frame, below, kinds)
            if verdict:
                return verdict, kinds
        if name == 'IMPORT_FROM' and _are(kinds, AttributeError):
            return None, (ImportError,)
        if inner.co_name == '__set_name__' and _WRAPS_SET_NAME and name.startswith('CALL'):
            return None, (RuntimeError,)
        if _are(kinds, AttributeError) and inner.co_name in ('__getattr__', '__getattribute__') and (
                not name.startswith(('CALL', 'LOAD_', 'STORE_', 'DELETE_'))
                or name in ('LOAD_ATTR', 'LOAD_METHOD') and self._other(below, flow.code[i].argval)):
            return (True, 'C code looks for an attribute at %s' % _place(frame)), kinds
        if _are(kinds, AttributeError) and name in ('LOAD_ATTR', 'LOAD_METHOD', 'LOAD_SUPER_ATTR') \
                and inner.co_name != '__getattr__' and inner.co_argcount:
            # a property or __getattribute__ with a __getattr__ behind it
            owner = self._first(below)
            if owner is not _MISSING and attribute(type(owner), '__getattr__') is not _MISSING:
                return (True, '__getattr__ is asked next at %s' % _place(frame)), kinds
        if inner.co_name == '__getitem__' and _are(kinds, (IndexError, StopIteration)) \
                and name.startswith(_ITERATING):
            owner = self._first(below)
            if owner is not _MISSING and attribute(type(owner), '__iter__') is _MISSING:
                return (True, 'the end of an iteration by __getitem__ at %s' % _place(frame)), kinds
        if inner.co_flags & _COROUTINE and name.startswith('CALL'):
            module = frame.f_globals.get('__name__')
            if type(module) is str and (module.startswith('asyncio.') or module == 'uvloop.loop'):
                task = _current_task(frame)
                if task is not None:
                    return self._future(task, frame, kinds), kinds
        return None, kinds

    @staticmethod
    def _other(frame, name):
        """Whether `__getattr__` is asked for something else than what its caller loads."""
        names = frame.f_code.co_varnames
        asked = local(frame, names[1]) if frame.f_code.co_argcount == 2 else _MISSING
        return type(asked) is str and asked != name

    @staticmethod
    def _first(frame):
        names = frame.f_code.co_varnames
        return local(frame, names[0]) if names and frame.f_code.co_argcount else _MISSING

    def _called(self, flow, i, frame, below, kinds):
        call, _ = flow.call(i)
        scope = _Scope(frame.f_globals, frame)
        value = _MISSING if call is None else scope.evaluate(call[1])
        if value is not _MISSING:
            for where, least, functions, types in self.policy.calls:
                if where.value(value) and (not functions or below.f_code.co_name in functions) \
                        and (call[2] is None or len(call[2]) + len(call[3]) >= least) \
                        and any(types(n) for kind in kinds for n in kind_names(kind)):
                    return True, '`%s(...)` at %s' % (_describe(call[1]), _place(frame))
        if below.f_code.co_name in ('__getattr__', '__getattribute__') and _are(kinds, AttributeError):
            direct = value.__func__ if type(value) is MethodType else value
            if not (type(direct) is FunctionType and direct.__code__ is below.f_code) and not (
                    _passes_on(value)):
                return True, 'C code looks for an attribute at %s' % _place(frame)
        return None

    # -- futures and tasks ---------------------------------------------------------

    def _future(self, future, frame, kinds, fine=False):
        """Who gets what a future or task ends with."""
        self.futures += 1
        if future is _MISSING or future is None or self.futures > 50:
            return True, 'kept in a future at %s' % _place(frame)
        waiting = self._threads_for(future, kinds)
        if waiting is not None:
            return waiting
        verdicts = []
        for callback in _callbacks(future):
            verdicts.append(self._callback(callback, frame, kinds))
        for verdict in verdicts:
            if verdict[0]:
                return verdict
        if verdicts:
            return verdicts[0]
        if fine or self.policy.unawaited:
            return True, 'kept in a future that nobody waits for at %s' % _place(frame)
        return False, 'nobody waits for the task or future of %s' % _place(frame)

    def _threads_for(self, future, kinds):
        """A thread that waits in `future.result()`, seen from its stack."""
        if attribute(type(future), '_condition') is _MISSING and \
                attribute(future, '_condition') is _MISSING:
            return None
        for frame in sys._current_frames().values():
            for _ in range(8):
                if frame is None:
                    break
                if frame.f_code.co_name in ('result', 'exception') and frame.f_globals.get(
                        '__name__') == 'concurrent.futures._base' and self._first(frame) is future:
                    if frame.f_code.co_name == 'exception':
                        return True, 'wanted by %s' % _place(frame)
                    return self.up(frame.f_back, kinds) if frame.f_back else None
                frame = frame.f_back
        return None

    def _callback(self, callback, frame, kinds):
        args = ()
        if type(callback) is partial:
            callback, args = callback.func, callback.args
        owner = attribute(callback, '__self__')
        if owner is _MISSING and type(callback).__name__ == 'TaskWakeupMethWrapper':  # up to 3.7
            owner = next(filter(_is_task, get_referents(callback)), _MISSING)
        if owner is not _MISSING and _is_task(owner):
            return self._awaiting(owner, frame, kinds)
        name = name_of(callback) or ''
        last = name.rpartition('.')[2].rpartition(':')[2]
        if last == '_run_until_complete_cb':
            outer = frame
            while outer is not None:
                if outer.f_code.co_name == 'run_until_complete' and outer.f_back is not None:
                    return self.up(outer.f_back, kinds)
                outer = outer.f_back
        cells = _cells(callback)
        if last == '_release_waiter' and args:  # wait_for: asks for the result then
            return self._future(args[0], frame, kinds)
        if last == '_on_task_done' and type(callback) is MethodType:  # a TaskGroup
            parent = attribute(callback.__self__, '_parent_task')
            if parent is not _MISSING and _is_task(parent):
                return self._awaiting(parent, frame, kinds + (_GROUP,))
        if name.startswith('asyncio.tasks:') and 'outer' in cells:  # gather, shield
            if cells.get('return_exceptions') is True:
                return True, 'gather(return_exceptions=True)'
            return self._future(cells['outer'], frame, kinds)
        if last == '_call_set_state' and 'destination' in cells:
            return self._future(cells['destination'], frame, kinds)
        return True, 'a callback waits for it at %s' % _place(frame)

    def _awaiting(self, task, frame, kinds):
        """Up the suspended frames of a task, from the innermost."""
        get = getattr(type(task), 'get_coro', None)
        coro = get(task) if get is not None else attribute(task, '_coro')
        frames = []
        for _ in range(200):
            if coro is None or coro is _MISSING:
                break
            kind = type(coro).__name__
            if kind == 'coroutine':
                frames.append(coro.cr_frame)
                coro = coro.cr_await
            elif kind == 'generator':
                frames.append(coro.gi_frame)
                coro = coro.gi_yieldfrom
            else:
                break
        for suspended in reversed(frames):
            if suspended is not None:
                verdict, kinds = self._in(suspended, kinds)
                if verdict:
                    return verdict
        return self._future(task, frame, kinds)


def _passes_on(value):
    """C code that calls __getattr__ and passes its exception on."""
    return getattr(type(value), '__name__', '') in ('wrapper_descriptor', 'method-wrapper') or \
        value is getattr


def _is_task(value):
    return any(base.__name__ == 'Task' and base.__module__ in ('_asyncio', 'asyncio.tasks')
               for base in _MRO(type(value)))


def _callbacks(future):
    found = attribute(future, '_callbacks')
    if found is _MISSING or found is None:
        found = attribute(future, '_done_callbacks')
    if type(found) is not list:
        return []
    return [item[0] if type(item) is tuple else item for item in found]


def _cells(function):
    if type(function) is not FunctionType:
        return {}
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            pass
    return cells


def _current_task(frame):
    """The task that an event loop's handle is running."""
    handle = local(frame, 'self')
    callback = _MISSING if handle is _MISSING else attribute(handle, '_callback')
    if callback is not _MISSING:
        for owner in get_referents(callback):
            if _is_task(owner):
                return owner
    tasks = sys.modules.get('asyncio.tasks')
    running = tasks and vars(tasks).get('_current_tasks')
    if type(running) is dict and len(running) == 1:
        return next(iter(running.values()))
    return None


def decide(policy, site, frame, exc, kind):
    """(expected, reason) for an exception that was caught at a site of `frame`."""
    if policy.is_never(kind):
        return True, 'never pauses: ' + kind.__name__
    if not policy.covers(site['path']):
        return True, 'not among the included paths'
    trace = _write._TRACEBACK.__get__(exc)
    raised_here = trace is not None and trace.tb_next is None
    trace = None
    if raised_here and site['kind'] == 'raise' and not policy.raise_pauses:
        return True, 'an explicit raise'
    if raised_here and site['kind'] == 'assert' and not policy.assert_pauses \
            and issubclass(kind, AssertionError):
        return True, 'a failed assert'
    return Look(policy).up(frame, (kind,))
