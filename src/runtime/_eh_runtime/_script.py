"""EH_MODE=script: a file of healing snippets answers the handlers.

EH_SCRIPT names a Python file, executed once, that defines `snippets`: a dictionary
from sites to what heals them. A site is its stable key (64 hex digits, or 8 and more
from its start) or `path/in/repository.py:LINE`, the original line where the statement
starts. What heals is source code, None (re-raise), or a list of those, one for each
crash at that site. EH_LOG, or `log` in the file, names a file that gets a line of JSON
for each interception of such a site.
"""
import os
from json import JSONEncoder

from _eh_runtime import _hook, _sites

_encode = JSONEncoder(sort_keys=True).encode
_HEX = set('0123456789abcdef')
_write = os.write


def arm(setting, on_death, warn):
    path = setting('EH_SCRIPT')
    if not path:
        raise ValueError('EH_SCRIPT must name a file of healing snippets')
    path = _sites.absolute(path)
    names = {'__name__': '_eh_script', '__file__': path}
    exec(compile(_sites.read(path), path, 'exec', 0, True), names)
    snippets = names.get('snippets')
    if not isinstance(snippets, dict):
        raise ValueError('%s must define a dictionary `snippets`' % path)
    for key in snippets:
        _check_key(key)
    log = setting('EH_LOG') or names.get('log')
    descriptor = None
    if log:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, 'O_CLOEXEC', 0)
        descriptor = os.open(_sites.absolute(log), flags, 0o666)

    def heal(table, site, error):
        code = _find(snippets, table, site)
        if isinstance(code, list):
            try:
                return code.pop(0)
            except IndexError:
                return None
        return code

    def done(table, site, error, action, failure):
        if descriptor is not None:
            line = {'key': site['key'], 'path': table['path'], 'line': site['line'],
                    'function': site.get('function'), 'exception': type(error).__name__,
                    'action': action, 'error': failure}
            _write(descriptor, (_encode(line) + '\n').encode('ascii'))

    return _hook.armed(heal, done, (Exception,), on_death)


def _check_key(key):
    if isinstance(key, str):
        place, colon, line = key.rpartition(':')
        if colon and place and line.isdigit():
            return
        if 8 <= len(key) <= 64 and set(key) <= _HEX:
            return
    raise ValueError('%r is not a site: a key has 8 to 64 hex digits, a place is written '
                     'path/in/repository.py:LINE' % (key,))


def _find(snippets, table, site):
    key = site['key']
    place = '%s:%d' % (table['path'], site['line'])
    for name in key, place:
        if name in snippets:
            return snippets[name]
    for name in snippets:
        if ':' not in name and key.startswith(name):
            return snippets[name]
    return _hook.NOTHING
