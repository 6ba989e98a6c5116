"""The armed `__eh__`: what the handlers of generated code talk to.

    __eh__(17)   an exception is being handled at site 17 of the caller's file: true
                 to re-raise it, false to go on after the statement (or to return)
    bool(__eh__) whether healing left a value for the calling frame to return
    __eh__()     that value, once

Nothing here may get in the user's way: whatever goes wrong means "re-raise".
"""
import sys
from dis import get_instructions
from sys import _getframe, exc_info, getrecursionlimit, is_finalizing

# A handed over value waits under the id of its frame, which lives until it is
# taken: threads, recursion, generators and greenlets cannot mix them up.
_pending = {}
_NOTHING = object()
_healer = None

_NEVER = StopIteration, StopAsyncIteration, GeneratorExit  # control flow
_CANCELLED = sys.version_info < (3, 8)  # asyncio.CancelledError is an Exception
_ABORTS = sys.version_info < (3, 9)  # see _no_room
_CONTEXT = BaseException.__dict__['__context__']
_TRACEBACK = BaseException.__dict__['__traceback__']


class Hook(tuple):
    __slots__ = ()
    _eh_runtime_ = 1

    def __call__(self, *site):
        frame = None
        try:
            frame = _getframe(1)
            if site:
                return _intercept(frame, site[0])
            value = _pending.pop(id(frame), _NOTHING)
        except KeyboardInterrupt:
            _pending.pop(id(frame), None)
            raise
        except BaseException:
            return True
        finally:
            frame = None  # somebody may keep this frame
        if value is _NOTHING:  # the table is not this file's
            raise
        return value

    def __bool__(self):
        return id(_getframe(1)) in _pending


def _cancelled(kind):
    # It cannot be imported here without loading asyncio.
    return any(base.__name__ == 'CancelledError' and
               base.__module__ == 'concurrent.futures._base' for base in kind.__mro__)


def _ends_at_hook(last):
    before = []
    for instruction in get_instructions(last.tb_frame.f_code):
        if instruction.offset == last.tb_lasti:
            return '__eh__' in before[-4:]
        before.append(instruction.argval)
    return False


def _mend(exc):
    """Take our own part out of a RecursionError.

    Where the stack is full, the call of the hook fails as well: with an error of the
    same kind, whose context is the one that was being handled. Here, further out, the
    one that goes on is made what the first one was, traceback and all.
    """
    while True:
        context = _CONTEXT.__get__(exc)
        if type(context) is not RecursionError:
            return
        back, last, inner = None, _TRACEBACK.__get__(exc), _TRACEBACK.__get__(context)
        while last.tb_next is not None:
            back, last = last, last.tb_next
        if (back is None or inner is None or inner.tb_frame is not last.tb_frame
                or not _ends_at_hook(last)):
            return
        back.tb_next = inner
        _CONTEXT.__set__(exc, _CONTEXT.__get__(context))


def _no_room(frame, kind):
    """Whether healing is going on below, or the stack leaves no room for it.

    No flag says that healing is going on: an interrupt could leave it set, and
    greenlets would share it. Up to 3.8 the process is aborted when the handling of a
    RecursionError goes too deep again, and calls from C are not seen here.
    """
    limit = getrecursionlimit()
    if _ABORTS and issubclass(kind, RecursionError):
        room = limit // 4
    else:
        room = limit - min(200, limit // 2)
    hook = Hook.__call__.__code__
    while frame is not None and room > 0:
        if frame.f_code is hook:
            return True
        frame = frame.f_back
        room -= 1
    return frame is not None


def _intercept(frame, number):
    kind = exc_info()[0]
    if (kind is None or is_finalizing() or issubclass(kind, _NEVER)
            or (_CANCELLED and _cancelled(kind))):
        return True
    if kind is RecursionError and not _ABORTS:  # older ones have room for the hook
        _mend(exc_info()[1])
    filename = frame.f_code.co_filename
    _pending.pop(id(frame), None)  # of a handler that was interrupted
    if not _healer.may_answer(filename, number) or _no_room(frame, kind):
        return True
    try:
        site = _healer.site(filename, number)
        if site is None:
            return True
        if site['form'] == 'class':  # the caller is a lambda in the class body
            frame = frame.f_back
        action, value = _healer.answer(site, frame, exc_info()[1])
        if action == 'return' and site['form'] != 'return-capture':
            _pending[id(frame)] = value
        return action == 'reraise'
    finally:
        frame = value = None


def arm(healer, on_death):
    global _healer
    _healer = healer
    Hook.__del__ = on_death
    return Hook((Exception,))
