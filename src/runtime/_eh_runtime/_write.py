"""Binding names in a frame that is paused in its handler.

Up to 3.12 `frame.f_locals` is a snapshot that `PyFrame_LocalsToFast` copies back; from
3.13 on it writes through (PEP 667).
"""
import sys

_OPTIMIZED = 1  # co_flags: the names of the code are slots, not keys
_WRITES_THROUGH = sys.version_info >= (3, 13)
_UNBINDS = sys.version_info < (3, 12)


def back(frame, bound, unbound):
    """Writes names back where the frame's code will look for them."""
    code = frame.f_code
    if code.co_flags & _OPTIMIZED:
        _function(frame, code, bound, unbound)
    elif frame.f_locals is frame.f_globals:
        _mapping(frame.f_globals, bound, unbound)
    else:
        _class(frame, code, bound, unbound)


def _function(frame, code, bound, unbound):
    slots = set(code.co_varnames + code.co_cellvars + code.co_freevars)
    local = {n: v for n, v in bound.items() if n in slots}
    gone = [n for n in unbound if n in slots]
    if gone and not _UNBINDS:
        raise RuntimeError('local names cannot be unbound from Python 3.12 on: %s' % ', '.join(gone))
    # Anything that no code here would ever look up was a helper of the healing code.
    names = frame.f_globals
    read = _global_names(code) - slots
    shared = {n: v for n, v in bound.items() if n not in slots and (n in read or n in names)}
    if local or gone:
        _locals(frame, local, gone)
    _mapping(names, shared, [n for n in unbound if n not in slots])


def _locals(frame, local, gone):
    if _WRITES_THROUGH:
        frame.f_locals.update(local)
        return
    from ctypes import c_int, py_object, pythonapi
    # The snapshot must not grow old between here and the copy.
    snapshot = frame.f_locals
    snapshot.update(local)
    for name in gone:
        snapshot.pop(name, None)
    pythonapi.PyFrame_LocalsToFast(py_object(frame), c_int(1 if gone else 0))


def _class(frame, code, bound, unbound):
    declared = _declared_global(code)
    _mapping(frame.f_globals, {n: v for n, v in bound.items() if n in declared},
             [n for n in unbound if n in declared])
    _mapping(frame.f_locals, {n: v for n, v in bound.items() if n not in declared},
             [n for n in unbound if n not in declared])


def _mapping(names, bound, unbound):
    for name, value in bound.items():
        names[name] = value
    for name in unbound:
        try:
            del names[name]
        except KeyError:  # a global that the healing code deleted in its copy of a class
            pass


def _global_names(code):
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, type(code)):
            names |= _global_names(const)
    return names


def _declared_global(code):
    from dis import get_instructions
    return {i.argval for i in get_instructions(code)
            if i.opname in ('STORE_GLOBAL', 'DELETE_GLOBAL')}
