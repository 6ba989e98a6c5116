"""EH_CONTAIN=1: what a failed submission changed is put back before the next attempt.

Bindings are written at the very end only. Here are the contents of mutable objects: those
that can be reached from the frame's names through containers and attributes, so many of them.
"""
from collections import deque
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType

MOST = 20000  # objects
_PLAIN = str, bytes, int, float, complex, bool, type(None), range, slice, type, ModuleType, \
    FunctionType, BuiltinFunctionType, MethodType, CodeType, FrameType
_MRO = type.__dict__['__mro__'].__get__
_CLASS_DICT = type.__dict__['__dict__'].__get__
_UNSET = object()


class Snapshot:
    """Shallow copies of what can be reached from `roots`. `left_out` says what is not among
    them: names of types that have contents of their own kind, and how many objects were too many."""

    def __init__(self, roots, extra=()):
        self.saved, self.left_out = [], set()
        seen, todo = set(), deque(roots)
        todo.extend(extra)
        while todo:
            value = todo.popleft()
            if isinstance(value, _PLAIN) or id(value) in seen:
                continue
            if len(self.saved) >= MOST:
                self.left_out.add('objects beyond the first %d' % MOST)
                break
            seen.add(id(value))
            try:
                self._save(value, todo)
            except Exception:
                self.left_out.add(type(value).__name__)

    def _save(self, value, todo):
        kinds = _MRO(type(value))
        known = False
        if list in kinds:
            copy = list.copy(value)
            self.saved.append((_list, value, copy))
            todo.extend(copy)
            known = True
        elif dict in kinds:
            copy = dict.copy(value)
            self.saved.append((_dict, value, copy))
            todo.extend(dict.keys(copy))
            todo.extend(dict.values(copy))
            known = True
        elif set in kinds:
            copy = set.copy(value)
            self.saved.append((_set, value, copy))
            todo.extend(copy)
            known = True
        elif bytearray in kinds:
            self.saved.append((_bytes, value, bytes(value)))
            known = True
        elif deque in kinds:
            copy = list(deque.__iter__(value))
            self.saved.append((_deque, value, copy))
            todo.extend(copy)
            known = True
        elif tuple in kinds or frozenset in kinds:
            todo.extend(tuple.__iter__(value) if tuple in kinds else frozenset.__iter__(value))
            known = True
        for base in kinds:
            names = _CLASS_DICT(base)
            slots = names.get('__slots__')
            if slots is not None and base.__module__ != 'builtins':
                known = True
                for name, member in names.items():
                    if type(member).__name__ == 'member_descriptor':
                        try:
                            held = member.__get__(value)
                        except AttributeError:
                            held = _UNSET
                        self.saved.append((_slot, (member, value), held))
                        if held is not _UNSET:
                            todo.append(held)
        try:
            own = object.__getattribute__(value, '__dict__')
        except AttributeError:
            own = None
        if type(own) is dict:
            known = True
            if own:
                copy = dict.copy(own)
                self.saved.append((_dict, own, copy))
                todo.extend(copy.values())
            else:
                self.saved.append((_dict, own, {}))
        if not known and type(value).__module__ != 'builtins':
            self.left_out.add(type(value).__name__)
        elif not known:
            kind = type(value).__name__
            if kind.endswith(('iterator', 'generator', 'coroutine')) or kind in ('memoryview', 'zip', 'map'):
                self.left_out.add(kind)

    def restore(self):
        """How many objects had changed, and are as they were."""
        changed = 0
        for how, value, copy in self.saved:
            try:
                changed += bool(how(value, copy))
            except Exception:
                self.left_out.add(type(value).__name__)
        return changed


def _same(a, b):
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


def _list(value, copy):
    if not _same(list.copy(value), copy):
        list.__setitem__(value, slice(None), copy)
        return True


def _dict(value, copy):
    now = dict.copy(value)
    if not (_same(list(now), list(copy)) and _same(list(now.values()), list(copy.values()))):
        dict.clear(value)
        dict.update(value, copy)
        return True


def _set(value, copy):
    if {id(item) for item in set.copy(value)} != {id(item) for item in copy}:
        set.clear(value)
        set.update(value, copy)
        return True


def _bytes(value, copy):
    if bytes(value) != copy:
        bytearray.__setitem__(value, slice(None), copy)
        return True


def _deque(value, copy):
    if not _same(list(deque.__iter__(value)), copy):
        deque.clear(value)
        deque.extend(value, copy)
        return True


def _slot(place, held):
    member, value = place
    try:
        now = member.__get__(value)
    except AttributeError:
        now = _UNSET
    if now is not held:
        if held is _UNSET:
            member.__delete__(value)
        else:
            member.__set__(value, held)
        return True
