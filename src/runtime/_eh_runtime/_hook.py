"""What `__eh__` does when a healer is attached.

    __eh__(17)   the statement of site 17 raised: true means re-raise, false go on
    bool(__eh__) healing left a value that the calling frame is to return
    __eh__()     that value, which is forgotten here

The healer is a function `heal(table, site, error)` that returns a piece of source
code, None to re-raise, or `NOTHING` if the site is none of its business; `done` is
told how it ended. Code runs in a copy of the frame's names and is written back only
when it succeeds. Whatever goes wrong here, the program's exception goes on as it was.
"""
import sys
from _thread import get_ident

from _eh_runtime import _sites, _write

NOTHING = object()

# Kept by frame, not by thread: a value belongs to the activation that returns it.
_values = {}
# Threads that are healing: what fails in there is not intercepted again.
_healing = set()

_getframe = sys._getframe
_exc_info = sys.exc_info

# Control flow, not failures. CancelledError was an Exception before 3.8; it is looked up
# when asyncio has been imported.
_NEVER = (StopIteration, StopAsyncIteration, GeneratorExit)


class Refused(Exception):
    """The code ran, but what it left behind cannot be used."""


def _is_flow(error, modules=sys.modules):
    if isinstance(error, _NEVER):
        return True
    for name in 'asyncio.exceptions', 'asyncio.futures', 'concurrent.futures._base':
        cancelled = getattr(modules.get(name), 'CancelledError', None)
        if isinstance(cancelled, type) and isinstance(error, cancelled):
            return True
    return False


def _intercept(number, frame, heal, done):
    _values.pop(id(frame), None)
    me = get_ident()
    if me in _healing:
        return True
    table = _sites.table(frame.f_code.co_filename)
    if table is None:
        return True
    try:
        site = table['sites'][number]
    except IndexError:
        return True
    error = _exc_info()[1]
    if error is None or _is_flow(error):
        return True
    _healing.add(me)
    try:
        code = heal(table, site, error)
        if code is NOTHING:
            return True
        if code is None:
            done(table, site, error, 'reraise', None)
            return True
        # In a class body a lambda of ours makes the call.
        owner = frame.f_back if site['form'] == 'class' else frame
        try:
            action = _run(code, owner, table, site, error)
        except Exception as failure:
            done(table, site, error, 'reraise', '%s: %s' % (type(failure).__name__, failure))
            return True
        done(table, site, error, action, None)
        return False
    finally:
        _healing.discard(me)
        del error, frame


def _run(code, frame, table, site, error):
    """Runs healing code for a frame and writes back what it bound."""
    names = dict(frame.f_globals)
    names.update(frame.f_locals)
    names.pop('_eh_rtn', None)
    names['_eh_exc'] = error
    before = dict(names)
    where = '<healing %s:%d>' % (table['path'], site['line'])
    try:
        _execute(compile(code, where, 'exec', 0, True), names)
        has_value, value = '_eh_rtn' in names, names.pop('_eh_rtn', None)
        form = site['form']
        if has_value and form in ('no-return', 'class'):
            raise Refused('_eh_rtn is bound, but nothing can be returned from here')
        if not has_value and form.startswith('return-'):
            raise Refused('a return statement needs a value: bind _eh_rtn')
        for own in '_eh_exc', '__builtins__':
            names.pop(own, None)
            before.pop(own, None)
        bound = {n: v for n, v in names.items() if n not in before or before[n] is not v}
        unbound = [n for n in before if n not in names]
        if has_value and form == 'return-capture':
            bound['_eh_rtn'] = value
        _write.back(frame, bound, unbound)
        if has_value and form in ('statement', 'return-inline'):
            _values[id(frame)] = value
        return 'return' if has_value else 'resume'
    finally:
        names.pop('_eh_exc', None)
        del before, error, frame


def _execute(code, names):
    try:
        exec(code, names)
    except Exception:
        raise
    except BaseException as failure:
        # SystemExit and its like would end the program from in here.
        raise Refused('%s: %s' % (type(failure).__name__, failure)) from None


def armed(heal, done, types, on_death):
    """The object for `builtins`; nobody else may refer to it."""
    # Arguments, since names of modules are gone when the last destructors run.
    def call(self, *site, getframe=_getframe, intercept=_intercept, values=_values):
        frame = getframe(1)
        if not site:
            return values.pop(id(frame), None)
        try:
            return intercept(site[0], frame, heal, done)
        except Exception:
            return True
        finally:
            del frame

    def truth(self, getframe=_getframe, values=_values):
        return id(getframe(1)) in values

    body = {'__slots__': (), '__call__': call, '__bool__': truth, '__del__': on_death,
            '_eh_runtime_': 1}
    return type('', (tuple,), body)(types)
