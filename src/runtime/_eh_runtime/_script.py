"""EH_MODE=script: a Python file of healing snippets answers the handlers.

EH_SCRIPT names the file. It is executed once, at start, and defines `snippets`:

    key    a site's key (32 hex digits, or 8 at least if no other site of the file
           begins so), or "pkg/mod.py:LINE" for the sites that start on that line
    value  Python code; a list of values, one for each crash at a site, then
           re-raise; or None: re-raise

With `log = "path"` (or EH_LOG) each exception at a site that has a snippet adds a
JSON line there: key, path, line, function, exception, action (resume, return or
reraise), error (why a snippet had no effect, else null).
"""
import warnings
from itertools import repeat
from textwrap import dedent

from _eh_runtime import _hook, _sites, _write

_END = object()


class _Unusable:
    """In the place of a snippet: why there is none."""

    def __init__(self, error=None):
        self.error = error


def _compile(name, text):
    try:
        return _write.Snippet(compile(dedent(text), '<healc snippet %s>' % name, 'exec',
                                      dont_inherit=True))
    except Exception as error:  # MemoryError too, where it is nested too deep
        return _Unusable('%s: %s' % (type(error).__name__, error))


def _snippet(name, text):
    return _Unusable() if text is None else _compile(name, text)


def _prepare(name, value):
    if value is None or isinstance(value, str):
        return _snippet(name, value)
    if isinstance(value, list) and all(v is None or isinstance(v, str) for v in value):
        return [_snippet(name, v) for v in value]
    raise TypeError('a snippet is a string, a list of strings, or None')


def _is_place(name):
    path, colon, line = name.rpartition(':')
    return bool(path and colon) and line.isdigit()


def _is_prefix(name):
    return 8 <= len(name) <= 32 and not set(name) - set('0123456789abcdef')


class _Healer:
    def __init__(self, snippets, log):
        self.snippets = snippets
        self.log_path = log
        self.plans = {}  # file name of code -> {site number: (site, its snippets)}
        self.queues = {}  # one for each site, however the file is called

    def may_answer(self, filename, number):
        plan = self.plans.get(filename)
        return plan is None or number in plan

    def site(self, filename, number):
        if filename not in self.plans:
            self.plans[filename] = self._plan(_sites.table(filename))
        entry = self.plans[filename].get(number)
        return entry and entry[0]

    def _plan(self, table):
        plan = {}
        if table is None:
            return plan
        sites, path = table['sites'], table['path']
        # keys last and long ones at the very end: the most exact one counts
        for name in sorted(self.snippets, key=lambda n: (_is_prefix(n), len(n))):
            value = self.snippets[name]
            if _is_prefix(name):
                found = [site for site in sites if site['key'].startswith(name)]
                if len({site['key'] for site in found}) > 1:
                    value = _Unusable('more than one site has a key that begins with ' + name)
            else:
                found = [site for site in sites
                         if '%s:%d' % (path, site['line']) == name]
            for site in found:
                queue = iter(value) if isinstance(value, list) else repeat(value)
                site['path'] = path
                plan[site['id']] = site, self.queues.setdefault(
                    (path, site['key'], name), queue)
        return plan

    def answer(self, site, frame, exc):
        """What the handler is to do, and the value that it is to return."""
        try:
            queue = self.plans[frame.f_code.co_filename][site['id']][1]
            snippet = next(queue, _END)  # atomic: threads each get their own
            action, value, error = 'reraise', None, None
            if snippet is _END:
                error = 'no snippet is left'
            elif type(snippet) is _Unusable:
                error = snippet.error
            else:
                action, value, error = _write.heal(snippet, site['form'], frame, exc)
            if self.log_path:
                _sites.append(self.log_path, {
                    'key': site['key'], 'path': site['path'], 'line': site['line'],
                    'function': site.get('function'), 'exception': type(exc).__name__,
                    'action': action, 'error': error and str(error)})
            return action, value
        finally:
            frame = exc = value = None


def arm(setting, on_death, warn):
    path = setting('EH_SCRIPT')
    if not path:
        raise ValueError('EH_SCRIPT is not set')
    path = _sites.absolute(path)
    space = {'__name__': '_eh_script', '__file__': path}
    exec(compile(_sites.read(path), path, 'exec', dont_inherit=True), space)
    snippets = {}
    # What the compiler has to say about a snippet is not for the program's stderr.
    quiet = 'ignore', None, Warning, None, 0
    warnings.filters.insert(0, quiet)
    try:
        for name, value in space['snippets'].items():
            try:
                if not isinstance(name, str) or not (_is_prefix(name) or _is_place(name)):
                    raise ValueError('neither a key nor path:LINE')
                snippets[name] = _prepare(name, value)
            except Exception as error:
                warn('%s: %s: %s' % (ascii(path), ascii(name), error))
    finally:
        warnings.filters.remove(quiet)
    log = space.get('log') or setting('EH_LOG')
    return _hook.arm(_Healer(snippets, log and _sites.absolute(log)), on_death)
