"""The runtime that instrumented modules need.

Importing it puts one name into `builtins`, which generated code uses like this:

    try: x = f(a)
    except __eh__:
        if __eh__(17): raise         # true: re-raise the original exception
        if __eh__: return __eh__()   # healing left a value to return from here

Disarmed (EH_MODE unset, empty or "off") `__eh__` is an empty tuple: the clause is
never entered, and nothing else happens: no module is imported, no file is read.
Armed (EH_MODE=script or heal, see _script and _heal) it is a tuple of the exception types to catch,
which can be called with a site's number (_hook), tells by its truth whether a
value is to be returned, and gives that value when called without arguments.

When the interpreter shuts down, the original builtins come back before the last
destructors run, and `__eh__` would be missing. So the object there is known to
`builtins` alone: it dies at that moment, and its destructor puts another one in its
place. That one's turn comes when all builtins are set to None, and leaves `()`.
"""
import builtins
import sys


def _setting(name):
    """A setting from the environment, without importing `os`."""
    try:
        value = sys.modules['os'].environ.get(name, '')
        if type(value) is str:
            return value
    except Exception:  # `os` is not loaded, half loaded or not the real one
        pass
    if 'posix' in sys.modules:
        value = sys.modules['posix'].environ.get(name.encode(), b'')
        return value.decode(sys.getfilesystemencoding(), 'surrogateescape')
    if 'nt' in sys.modules:
        return sys.modules['nt'].environ.get(name, '')
    return ''


# All names are arguments: those of modules may be gone by then.
def _on_last_death(self, builtins=builtins, setattr=setattr):
    setattr(builtins, '__eh__', ())


def _on_death(self, builtins=builtins, setattr=setattr, type=type, tuple=tuple,
              last=_on_last_death):
    setattr(builtins, '__eh__', type('', (tuple,), {'__slots__': (), '__del__': last})())


def _disarmed():
    return type('', (tuple,), {'__slots__': (), '__del__': _on_death, '_eh_runtime_': 1})()


def _install(eh):
    # What is replaced puts something else there as it dies: then once more.
    for _ in range(4):
        builtins.__eh__ = eh
        if builtins.__dict__.get('__eh__') is eh:
            break


def _warn(text):
    try:
        sys.stderr.write('healc: %s\n' % text)
    except Exception:
        pass


def _start():
    if hasattr(type(builtins.__dict__.get('__eh__')), '_eh_runtime_'):
        return  # reloaded, or imported anew: what is running goes on
    _install(_disarmed())
    mode = _setting('EH_MODE')
    if mode in ('', 'off'):
        return
    if mode not in ('script', 'heal'):
        _warn('EH_MODE=%s is not known: off' % ascii(mode))
        return
    try:
        if mode == 'script':
            from _eh_runtime import _script as healer
        else:
            from _eh_runtime import _heal as healer
        _install(healer.arm(_setting, _on_death, _warn))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _warn('EH_MODE=%s: off: %s: %s' % (mode, type(error).__name__, ascii(str(error))))


_start()
