"""Exact mode without an installed runtime: a folder on PYTHONPATH.

The folder holds this package and a `sitecustomize` that calls `start`. The program
sees neither: the folder leaves `sys.path` and `os.environ`, but not the environment
that the C library hands on, so that children are instrumented as well. (A child that
gets a copy of `os.environ` runs the original; install the runtime to have those.)
"""
import sys

from _eh_runtime import _exact


def _hide(environ, name, key, folder, separator):
    value = environ.get(key)
    if not value:
        return
    rest = [part for part in value.split(separator) if part != folder]
    if len(rest) != len(value.split(separator)):
        if rest:
            environ[key] = separator.join(rest)
        else:
            del environ[key]


def start(folder):
    windows = _exact.WINDOWS
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    _exact.install()
    try:
        separator = ';' if windows else ':'
        if windows:
            key, place = 'PYTHONPATH', folder
        else:
            key, separator = b'PYTHONPATH', b':'
            place = folder.encode(sys.getfilesystemencoding(), 'surrogateescape')
        _hide(sys.modules['os'].environ._data, 'PYTHONPATH', key, place, separator)
        _hide(_exact.system.environ, 'PYTHONPATH', key, place, separator)
    except Exception:
        pass
