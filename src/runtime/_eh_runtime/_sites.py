"""Site tables: what the compiler knows about the places that can be healed.

`<overlay>/.healc/sites/<path>.json` describes `<overlay>/<path>`. Generated code
carries only a number; the code object's file name leads to the table.
"""
import os
from io import FileIO
from json import JSONDecoder, JSONEncoder
from os import close, getcwd, open, write

FORMS = {'statement', 'return-capture', 'return-inline', 'no-return', 'class'}

_decode = JSONDecoder().decode
_encode = JSONEncoder().encode
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_windows = os.sep == '\\'
try:
    _start = getcwd()
except OSError:  # a deleted folder
    _start = '/'


def read(path):
    with FileIO(path) as file:
        return file.read()


def append(path, entry):
    """Add a line of JSON to a log."""
    try:
        line = _encode(entry) + '\n'
        # Opened anew each time: the program may close descriptors it does not know.
        # One write, at the end: threads and forks do not mix.
        file = open(path, _APPEND, 0o666)
        try:
            write(file, line.encode())
        finally:
            close(file)
    except Exception:
        pass  # what was healed stays healed


def absolute(path):
    """`path` seen from where the process started, without dots.

    By hand, for `os.path` calls functions of `os` that a program may have mocked.
    """
    if _windows:
        path = path.replace('\\', '/')
    if not path.startswith('/') and not (_windows and path[1:2] == ':'):
        path = (_start.replace('\\', '/') if _windows else _start) + '/' + path
    parts = []
    for part in path.split('/'):
        if part == '..':
            del parts[max(1, len(parts) - 1):]
        elif part != '.' and (part or not parts):
            parts.append(part)
    return '/'.join(parts)


def _valid(table, path):
    return (table['schema'] == 1 and table['path'] == path and all(
        site['id'] == i and site['form'] in FORMS and isinstance(site['key'], str)
        and isinstance(site['line'], int) for i, site in enumerate(table['sites'])))


def table(filename):
    """The table of the file that a code object names, or None."""
    parts = absolute(filename).split('/')
    for i in range(len(parts) - 1, 0, -1):
        path = '/'.join(parts[i:])
        try:
            text = read('%s/.healc/sites/%s.json' % ('/'.join(parts[:i]), path))
        except (OSError, ValueError):
            continue
        try:
            table = _decode(text.decode('utf-8'))
            return table if _valid(table, path) else None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
    return None


def folder(filename, table):
    """The overlay that a code object's file lies in, or None: it is the original (exact mode)."""
    path = absolute(filename)
    if path.endswith('/' + table['path']):
        return path[:-len(table['path']) - 1]
    return None
