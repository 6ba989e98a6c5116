"""Exact mode: `python script.py`, which the interpreter compiles and runs by itself.

Before it does, it asks the import system whether the script is something to import
from, such as a zip file with a `__main__` in it. If the script is one of ours, it is
told so, and then calls `runpy._run_module_as_main`. What it finds under that name is
a built-in function that runs the script's code in `__main__`, with no frame below
it, no traceback entry and nothing else in the way. How the program ends (errors,
SystemExit, -i, the exit code) is the interpreter's own business again.
"""
import sys

_had = '_functools' in sys.modules
from _functools import partial
if not _had:
    del sys.modules['_functools']  # as if it was never asked for

from _eh_runtime import _exact

FunctionType = type(lambda: 0)

_WITH_VALUE = 'WX'  # options that take one


def _arguments():
    """The command line of the interpreter, or None."""
    found = getattr(sys, 'orig_argv', None)  # since 3.10
    if found:
        return found
    try:
        data = _exact.read('/proc/self/cmdline')
        return [part.decode(sys.getfilesystemencoding(), 'surrogateescape')
                for part in data.split(b'\0')[:-1]]
    except OSError:
        pass
    try:
        import ctypes
        argc, argv = ctypes.c_int(), ctypes.POINTER(ctypes.c_wchar_p)()
        ctypes.pythonapi.Py_GetArgcArgv(ctypes.byref(argc), ctypes.byref(argv))
        return [argv[i] for i in range(argc.value)]
    except Exception:
        return None


def script():
    """The script on the command line, or None."""
    arguments = _arguments() or []
    i = 1
    while i < len(arguments):
        argument = arguments[i]
        i += 1
        if argument == '--':
            continue
        if not argument.startswith('-'):
            return argument
        if argument == '-':
            return None
        if argument.startswith('--'):
            if argument == '--check-hash-based-pycs':
                i += 1
            continue
        for at, letter in enumerate(argument[1:], 2):
            if letter in 'cmx':  # not a file; or the first line is not to be read
                return None
            if letter in _WITH_VALUE:
                if at == len(argument):
                    i += 1
                break
    return None


class _Importer:
    """What stands for the script; nobody asks it anything."""
    __slots__ = ()


def arrange(overlay):
    name = script()
    if name is None or not overlay.may_hold(name):
        return
    wanted = _exact.absolute(name)

    def hook(path):
        if path not in (name, wanted) and _exact.absolute(path) != wanted:
            raise ImportError('not the script')
        try:
            sys.path_hooks.remove(hook)
            code = overlay.code(path, None, True)
            if code is None:
                raise ImportError('changed')
            if code.co_filename != path:
                _exact._imp._fix_co_filename(code, path)
            main = sys.modules['__main__'].__dict__
            main['__builtins__']
        except Exception as error:
            raise ImportError(error)  # then the original runs
        before = sys.modules.get('runpy')
        sys.modules['runpy'] = _make_runpy(path, code, main, before)
        return _Importer()

    sys.path_hooks.insert(0, hook)


def _make_runpy(path, code, main, before):

    class runpy:
        __slots__ = ()

        @property
        def _run_module_as_main(self):
            """Called once all is set up; returns what runs the script."""
            if before is None:
                del sys.modules['runpy']
            else:
                sys.modules['runpy'] = before
            sys.path_importer_cache[path] = None  # nothing to import from
            _set_path0(path)
            main['__file__'] = path
            main['__cached__'] = None
            main['__loader__'] = _exact._Loader('__main__', path)
            return _runner(code, main)

    return runpy()


def _runner(code, main):
    """A built-in function of two arguments, "__main__" and 0, that runs the code.

    It is the one that makes classes: the code is the class body, in a namespace that
    is `__main__` itself.
    """
    def finish(name, bases, namespace):
        main.pop('__file__', None)
        if _exact.VERSION >= (3, 8):
            main.pop('__cached__', None)

    class kind:
        __slots__ = ()
        __prepare__ = {'__main__': main}.get
        __call__ = staticmethod(finish)

    return partial(_exact.builtins.__build_class__, FunctionType(code, main, '__main__'),
                   metaclass=kind())


def _set_path0(path):
    if sys.path and sys.path[0] == path:
        del sys.path[0]
    if getattr(sys.flags, 'safe_path', False) or sys.flags.isolated:
        return
    sys.path.insert(0, _folder(path))


def _folder(path):
    """The folder that the script really lies in, as the interpreter finds it."""
    try:
        realpath = sys.modules['os'].path.realpath
        path = realpath(path)
    except Exception:
        pass
    separator = '\\' if _exact.WINDOWS else '/'
    folder, found, _ = path.rpartition(separator)
    return folder or found
