"""Time limits for code that is not ours: in the main thread by a timer signal, which also
ends system calls; in others by an exception from a watchdog thread.

A call into C that never looks for signals cannot be ended by anybody.
"""
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from time import monotonic

try:
    # Not `signal`, which makes enumerations of what it gets, and cycles of frames.
    from _signal import ITIMER_REAL, SIGALRM, getitimer, getsignal, setitimer, signal as set_signal
except ImportError:  # Windows
    set_signal = None

try:
    from ctypes import c_ulong, py_object, pythonapi
    _raise_in = pythonapi['PyThreadState_SetAsyncExc']  # by index: an object of our own
    _raise_in.argtypes = c_ulong, py_object
    _clear_in = pythonapi['PyThreadState_SetAsyncExc']
    from ctypes import c_void_p
    _clear_in.argtypes = c_ulong, c_void_p
except Exception:
    _raise_in = None

_AGAIN = 0.2  # seconds, for code that catches the first
_main = get_ident()  # the runtime starts in the main thread


class TimeUp(BaseException):
    pass


class _Signal:
    def __init__(self, seconds):
        self.on = True
        self.old = set_signal(SIGALRM, self.ring)
        setitimer(ITIMER_REAL, seconds, _AGAIN)

    def ring(self, *_):
        if self.on:
            raise TimeUp

    def stop(self):
        self.on = False
        setitimer(ITIMER_REAL, 0)
        set_signal(SIGALRM, self.old)


class _Watchdog:
    def __init__(self, seconds):
        self.on, self.rang = True, False
        self.guard, self.done = allocate_lock(), allocate_lock()
        self.done.acquire()
        start_new_thread(self.watch, (get_ident(), seconds))

    def watch(self, thread, seconds):
        while not self.done.acquire(True, seconds):
            with self.guard:
                if not self.on:
                    return
                self.rang = True
                _raise_in(thread, TimeUp)
            seconds = _AGAIN

    def stop(self):
        self.on = False
        with self.guard:  # it is not raising now, and will not any more
            if self.rang:
                _clear_in(get_ident(), None)
        self.done.release()


class Alarm:
    """Raises TimeUp in this thread after so many seconds, until it is stopped.

    TimeUp may come as late as within `stop`; after it, no more.
    """

    def __init__(self, seconds):
        self.inner = None
        if set_signal is not None and get_ident() == _main and getsignal(SIGALRM) is not None:
            try:
                self.inner = _Signal(seconds)
                return
            except ValueError:  # another interpreter's main thread
                pass
        if _raise_in is not None:
            self.inner = _Watchdog(seconds)

    def stop(self):
        for _ in range(3):
            try:
                if self.inner is not None:
                    self.inner.stop()
                self.inner = None
                return
            except TimeUp:
                pass


class Pause:
    """The program's own timer stands still while it is paused: tests that are given a time
    are often killed by it."""

    def __init__(self, keep):
        self.left, self.warning = None, None
        if set_signal is not None and not keep:
            left = getitimer(ITIMER_REAL)
            if left[0] > 0:
                setitimer(ITIMER_REAL, 0)
                self.left = left
        threads = sys.modules.get('threading')
        try:
            for thread in list(vars(threads)['_active'].values()) if threads else ():
                function = vars(thread).get('function')
                if type(thread).__name__ == 'Timer' and 'timeout' in getattr(function, '__module__', ''):
                    self.warning = 'a timer thread of %s goes on while the program is paused, and ' \
                        'may end it' % function.__module__
        except Exception:
            pass

    def end(self):
        if self.left is not None:
            left, self.left = self.left, None
            setitimer(ITIMER_REAL, *left)


def clock():
    return monotonic()
