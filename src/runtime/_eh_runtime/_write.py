"""Running a snippet on a copy of a frame's names, and writing back what it bound.

The snippet sees one dict: the globals with the frame's own names on top. Only if
it succeeds are the names that it bound or deleted carried over:

- in a function: locals, cells and free variables to the frame; names that exist as
  globals, that the code uses as such or that the snippet declares global to the
  globals; the rest was temporary;
- in a module or class body: to its namespace, except those declared global
  (or nonlocal), by the code or the snippet.

`_eh_exc` is the exception; `_eh_rtn`, if bound, the value to return.
If anything fails, the original exception is left exactly as it was.
"""
import sys
from dis import get_instructions
from importlib import import_module
from sys import getrefcount
from types import CodeType, FunctionType

_PROXY = sys.version_info >= (3, 13)  # f_locals writes through (PEP 667)
_NO_UNBIND = sys.version_info >= (3, 12)
_INLINED = sys.version_info >= (3, 12)  # names of comprehensions are among the locals
_OPTIMIZED = 1  # a function's code
_UNSHARED = 3  # references to a snapshot: its frame's, a local, the argument

_GLOBAL = {'LOAD_GLOBAL', 'STORE_GLOBAL', 'DELETE_GLOBAL'}
_GLOBAL_OR_NAME = _GLOBAL | {'LOAD_NAME', 'LOAD_FROM_DICT_OR_GLOBALS'}
_NONLOCAL = {'STORE_DEREF', 'DELETE_DEREF'}
_DECLARED = {'STORE_GLOBAL', 'DELETE_GLOBAL'}
_NOT_NAMES = '_eh_exc', '__builtins__', '__warningregistry__'

# The state of an exception, reached past whatever its class does with attributes
_STATE = [BaseException.__dict__[name] for name in (
    '__traceback__', '__context__', '__cause__', '__suppress_context__')]
_TRACEBACK, _CONTEXT, _CAUSE = _STATE[:3]


class Refused(Exception):
    """The snippet's result cannot be used. The text says why."""


class NoValue(Refused):
    """A value to return is missing, or there is none to give."""


class _Namespace(dict):
    """Also knows the names that were bound to the very object they had."""
    __slots__ = 'bound',

    def __setitem__(self, name, value):
        self.bound.add(name)
        dict.__setitem__(self, name, value)


def _names(code, operations):
    return {i.argval for i in get_instructions(code) if i.opname in operations}


def _nested(code):
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _nested(const)


def names_of_nested(code):
    return {name for inner in _nested(code) for name in inner.co_names}


def _declared(snippet):
    """The names that a snippet, or a function in it, declares global and binds."""
    return _names(snippet, _DECLARED).union(
        *[_names(inner, _DECLARED) for inner in _nested(snippet)])


def _own(code):
    """The names that a function's frame holds."""
    own = set(code.co_varnames + code.co_cellvars + code.co_freevars)
    if _INLINED and not own.isdisjoint(code.co_names):
        own -= _names(code, _GLOBAL)
    return own


def _read_fast(frame, own):
    fast = frame.f_locals
    found = {name: fast[name] for name in own if name in fast}
    if not _PROXY:
        shared = getrefcount(fast) > _UNSHARED
        _forget(frame, fast, own, shared)
    return found


def _forget(frame, fast, own, shared):
    """Leave no references in the snapshot of the locals that the frame keeps.

    Unless the program has called locals() and still holds it: then refresh it.
    """
    if shared:
        frame.f_locals
    else:
        for name in own:
            fast.pop(name, None)


_to_fast = None


def _locals_to_fast():
    """PyFrame_LocalsToFast. `ctypes` is only loaded when it is needed, and once: an
    interrupt in the middle of an import may get lost."""
    global _to_fast
    if _to_fast is None:
        try:
            ctypes = import_module('ctypes')
            # by index: a function object of our own, whose types nobody else sets
            function = ctypes.pythonapi['PyFrame_LocalsToFast']
            function.argtypes = ctypes.py_object, ctypes.c_int
            function.restype = None
            _to_fast = function
        except Exception as error:
            raise Refused('locals cannot be written back without ctypes (%s)' % error)
    return _to_fast


def _write_fast(frame, own, changed, gone):
    if _PROXY:
        fast = frame.f_locals
        for name in changed:
            fast[name] = changed[name]
        return
    to_fast = _locals_to_fast()
    fast = frame.f_locals
    if not gone:  # nothing else in the snapshot: nothing else can be rolled back
        for name in own:
            fast.pop(name, None)
    fast.update(changed)
    for name in gone:
        fast.pop(name, None)
    to_fast(frame, 1 if gone else 0)
    shared = getrefcount(fast) > _UNSHARED
    _forget(frame, fast, own, shared)


def _enclosing(frame):
    """The function around a class body, and the names that the body shares with it."""
    back = frame.f_back
    if back is None or not frame.f_code.co_freevars or not back.f_code.co_flags & _OPTIMIZED:
        return None, set()
    return back, _own(back.f_code).intersection(frame.f_code.co_freevars)


def _read(frame, ns):
    code = frame.f_code
    ns.update(frame.f_globals)
    if code.co_flags & _OPTIMIZED:
        ns.pop('__annotations__', None)  # one dict with the module: `x: int = 1` adds to it
        own = _own(code)
        for name in own:  # an unbound local hides the global of that name
            ns.pop(name, None)
        ns.update(_read_fast(frame, own))
    else:
        back, shared = _enclosing(frame)
        if shared:
            ns.update(_read_fast(back, shared))
        if frame.f_locals is not frame.f_globals:
            ns.pop('__annotations__', None)
            ns.update(frame.f_locals)
    for name in '_eh_rtn', '_eh_exc':
        ns.pop(name, None)


def _write(frame, snippet, changed, gone):
    code, module = frame.f_code, frame.f_globals
    if code.co_flags & _OPTIMIZED:
        own = _own(code)
        changed.pop('__annotations__', None)
        fast = {name: changed.pop(name) for name in own if name in changed}
        fast_gone = gone & own
        if fast_gone and _NO_UNBIND:
            raise Refused('a local cannot be unbound from outside since Python 3.12: '
                          + ', '.join(sorted(fast_gone)))
        if not module.keys() >= changed.keys():
            known = _names(code, _GLOBAL) | _declared(snippet)
            for inner in _nested(code):
                known |= _names(inner, _GLOBAL_OR_NAME)
            changed = {name: changed[name] for name in changed
                       if name in module or name in known}
        if fast or fast_gone:
            _write_fast(frame, own, fast, fast_gone)
        gone -= own
    else:
        space = frame.f_locals
        if space is not module:
            changed, gone = _write_class(frame, snippet, space, changed, gone)
    for name in changed:
        dict.__setitem__(module, name, changed[name])
    for name in gone:
        dict.pop(module, name, None)


def _write_class(frame, snippet, space, changed, gone):
    """Write to a class's namespace. What belongs to the globals comes back."""
    code, touched = frame.f_code, changed.keys() | gone
    outside = (_names(code, _GLOBAL) | _declared(snippet)) & touched
    back, shared = _enclosing(frame)
    shared &= touched
    if shared:
        shared &= _names(code, _NONLOCAL)
    if gone & shared and _NO_UNBIND:
        raise Refused('a local cannot be unbound from outside since Python 3.12: '
                      + ', '.join(sorted(gone & shared)))
    for name in gone - outside - shared:
        if name not in space:
            raise Refused('not bound in the class, cannot be deleted: ' + name)
    done = []
    try:  # a strict namespace may refuse a name
        for name in changed:
            if name not in outside and name not in shared:
                was = name in space, space[name] if name in space else None
                space[name] = changed[name]
                done.append((name, was))
        for name in gone - outside - shared:
            done.append((name, (True, space[name])))
            del space[name]
    except Exception:
        for name, (bound, value) in reversed(done):
            try:
                if bound:
                    space[name] = value
                else:
                    del space[name]
            except Exception:
                pass
        raise
    if shared:
        _write_fast(back, shared, {name: changed[name] for name in shared - gone},
                    gone & shared)
    return {name: changed[name] for name in changed if name in outside}, gone & outside


def _finish(frame, snippet, form, ns, before):
    """Carry the snippet's results over. What to do now, and the value to return."""
    changed = {name: ns[name] for name in ns if name in ns.bound
               or name not in before or ns[name] is not before[name]}
    gone = {name for name in before if name not in ns}
    for name in _NOT_NAMES:
        changed.pop(name, None)
        gone.discard(name)
    action = 'return' if '_eh_rtn' in changed else 'resume'
    value = changed.pop('_eh_rtn', None)
    if form in ('return-capture', 'return-inline'):
        if action != 'return':
            raise NoValue('the site returns a value, but `_eh_rtn` was not bound')
        if form == 'return-capture':
            if '_eh_rtn' not in frame.f_code.co_varnames:
                raise Refused('`_eh_rtn` is not a local of the function')
            changed['_eh_rtn'] = value
    elif form != 'statement' and action == 'return':
        raise NoValue('no value can be returned here, but `_eh_rtn` was bound')
    if changed or gone:
        snippet.written = sorted(n for n in changed.keys() | gone if type(n) is str)
        _write(frame, snippet.code, changed, gone)
    return action, value


def _chain(exc):
    """The state of an exception and of all it is chained to, which a snippet that
    raises one of them would change."""
    saved, todo = {}, [exc]
    while todo:
        one = todo.pop()
        if one is not None and id(one) not in saved:
            state = [field.__get__(one) for field in _STATE]
            saved[id(one)] = one, state
            todo += state[1:3]
    return saved


def _restore(chain):
    for one, state in chain.values():
        for field, value in zip(_STATE, state):
            if field is _STATE[3] or field.__get__(one) is not value:
                field.__set__(one, value)


def _explain(error, code, show):
    """What went wrong, without anything that lives on."""
    frames, trace = [], _TRACEBACK.__get__(error)
    while trace is not None:
        inner = trace.tb_frame.f_code
        frames.append((inner.co_filename, trace.tb_lineno, inner.co_name, inner is code))
        trace = trace.tb_next
    try:
        text = show(error)
        text = text if type(text) is str else str.__str__(text)
    except Exception:
        text = '<no text>'
    return Failure(type(error), text, [f for f in frames if f[0] != __file__])


class Failure:
    """Why code had no effect: an exception's type, its text, (file, line, name, whether it is
    the code itself) of its frames."""
    __slots__ = 'type', 'text', 'frames'

    def __init__(self, type, text, frames=()):
        self.type, self.text, self.frames = type, text, frames

    def __str__(self):
        if issubclass(self.type, Refused):
            return self.text
        text = '%s: %s' % (self.type.__name__, self.text)
        line = [line for _file, line, _name, own in self.frames if own]
        return 'line %d: %s' % (line[-1], text) if line else text


class Snippet:
    """Healing code, compiled. `code` is a module; in a subclass:

    run(ns)     executes it, and may do more
    submit      whether what it binds is carried over to the frame
    show(error) the text of an exception
    written     afterwards: the names that were
    """
    submit = True
    written = ()
    show = staticmethod(str)

    def __init__(self, code):
        self.code = code
        self.keep = frozenset(names_of_nested(code))  # nested code may need them later

    def run(self, ns):
        try:
            exec(self.code, ns)
        finally:  # somebody may keep this frame
            ns = None


def heal(snippet, form, frame, exc):
    """Run a snippet for a frame: (action, value, a Failure or None)."""
    chain = _chain(exc)
    before, value = {}, None
    ns = _Namespace()
    ns.bound = set()
    try:
        try:
            _read(frame, ns)
            before.update(ns)
            dict.__setitem__(ns, '_eh_exc', exc)
            snippet.run(ns)
            if snippet.submit:
                action, value = _finish(frame, snippet, form, ns, before)
            else:
                action = 'pause'
            error = None
        except KeyboardInterrupt:
            _restore(chain)
            raise  # the user's, and not about this code
        except BaseException as failure:
            action = 'reraise'
            try:
                error = _explain(failure, snippet.code, snippet.show)
            finally:
                # It may be an object that lives on: let it not lead here.
                _TRACEBACK.__set__(failure, None)
                if _CONTEXT.__get__(failure) is exc:
                    _CONTEXT.__set__(failure, None)
                _restore(chain)
        return action, value, error
    finally:
        try:
            # Functions of the snippet have the namespace as their globals: leave in it
            # what they name, and nothing if they are its only users.
            ns.pop('_eh_exc', None)
            for name in [n for n in ns if n not in snippet.keep and n != '__builtins__']:
                del ns[name]
            functions = [f for f in ns.values()
                         if type(f) is FunctionType and f.__globals__ is ns]
            alone = getrefcount(ns) <= 2 + len(functions)
            for f in functions:  # in `ns`, in the list, `f`, the argument
                alone = alone and getrefcount(f) <= 4
            if alone:
                ns.clear()
        finally:  # somebody may keep this frame
            chain = before = ns = frame = exc = value = functions = f = None
