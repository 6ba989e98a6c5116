"""What a paused frame looks like from outside: the crash context.

Values are shown by their `repr`, which is the program's code: it may raise, recurse or never
end, and is contained.
"""
import builtins
import os
import sys
from _thread import get_ident
from types import BuiltinFunctionType, CodeType, ModuleType

from _eh_runtime import _alarm, _expected, _places, _write

VARIABLE, ALL = 8000, 30000  # characters
_SECONDS = 2.0  # for all reprs of a crash
_FRAMES, _SOURCE, _TRACE = 50, 20000, 100000
_SCALARS = int, float, complex, bool, type(None), type(Ellipsis), type(NotImplemented)
_BUILTINS = {id(value) for value in vars(builtins).values()}


def _cut(text, limit):
    return text if len(text) <= limit else text[:limit - 1] + '\u2026'


def _shown(value, limit):
    """`repr(value)`, without making a text much longer than is needed."""
    kind = type(value)
    if kind in (str, bytes, bytearray) and len(value) > limit:
        return _cut(repr(value[:limit]), limit - 1) + '\u2026'
    if kind in (list, tuple, set, frozenset) and len(value) > limit // 3:
        part = []
        for item in value:
            part.append(item)
            if len(part) > limit // 3:
                break
        return _cut(repr(kind(part)), limit - 1) + '\u2026'
    if kind is dict and len(value) > limit // 5:
        part = {}
        for key in value:
            part[key] = value[key]
            if len(part) > limit // 5:
                break
        return _cut(repr(part), limit - 1) + '\u2026'
    text = repr(value)
    return _cut(text if type(text) is str else str.__str__(text), limit)


def safe_repr(value, limit=VARIABLE, seconds=_SECONDS):
    if type(value) in _SCALARS:
        return _cut(repr(value), limit)
    alarm = _alarm.Alarm(seconds)
    try:
        return _shown(value, limit)
    except _alarm.TimeUp:
        return '<%s, repr takes too long>' % type(value).__name__
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return '<%s, repr raises %s>' % (type(value).__name__, type(error).__name__)
    finally:
        alarm.stop()
        value = None


def text_of(exc):
    """`str(exc)`, contained."""
    alarm = _alarm.Alarm(_SECONDS)
    try:
        text = str(exc)
        return _cut(text if type(text) is str else str.__str__(text), VARIABLE)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return '<str raises %s>' % type(error).__name__
    finally:
        alarm.stop()
        exc = None


def frame_facts(space):
    """What the gate wants to know about names: which are modules, which hide built-ins."""
    modules, shadowed = {}, []
    for name, value in list(space.items()):
        if type(name) is not str or name[:2] == name[-2:] == '__':
            continue  # the gate knows these itself
        kind = type(value)
        if issubclass(kind, ModuleType):
            own = ModuleType.__getattribute__(value, '__dict__').get('__name__')
            modules[name] = own if type(own) is str else name
        elif (name in vars(builtins) or name in sys.modules) \
                and id(value) not in _BUILTINS and not issubclass(kind, BuiltinFunctionType):
            shadowed.append(name)
    return {'modules': modules, 'shadowed': sorted(shadowed)}


def _kind(kind):
    name = _expected.name_of(kind) or ':' + kind.__name__
    module, _, name = name.partition(':')
    return {'type': name, 'module': module}


def _chain(exc):
    chain, seen = [], {id(exc)}
    while len(chain) < 20:
        cause, context = _write._CAUSE.__get__(exc), _write._CONTEXT.__get__(exc)
        if cause is not None:
            exc, relation = cause, 'cause'
        elif context is not None and not _write._STATE[3].__get__(exc):
            exc, relation = context, 'context'
        else:
            break
        if id(exc) in seen:
            break
        seen.add(id(exc))
        chain.append((exc, relation))
    return chain


def _last_line(code):
    """The last line that belongs to a code object."""
    if hasattr(code, 'co_lines'):
        last = max((line for _s, _e, line in code.co_lines() if line), default=code.co_firstlineno)
    else:
        last = line = code.co_firstlineno
        for step in code.co_lnotab[1::2]:
            line += step - 256 if step > 127 else step
            last = max(last, line)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            last = max(last, _last_line(const))
    return last


class Context:
    """Makes crash contexts; remembers files."""

    def __init__(self, repo):
        self.repo, self.places = repo, {}

    def place(self, filename):
        found = self.places.get(filename)
        if found is None:
            found = self.places[filename] = _places.Place(filename, self.repo)
        return found

    def _trace_lines(self, exc, outer):
        lines, trace, entries = [], _write._TRACEBACK.__get__(exc), []
        while trace is not None:
            entries.append((trace.tb_frame.f_code, trace.tb_lineno))
            trace = trace.tb_next
        for code, number in outer + entries:
            if len(lines) > 200:
                lines.append('  ...')
                break
            place = self.place(code.co_filename)
            number = place.line(number or 0)
            lines.append('  File "%s", line %d, in %s' % (place.path or code.co_filename, number,
                                                          code.co_name))
            text = place.text(number, number).strip()
            if text:
                lines.append('    ' + text)
        return lines

    def traceback(self, exc, frame):
        """Like the interpreter's, with the frames that called this one on top."""
        outer = []
        back = frame.f_back
        while back is not None and len(outer) < _FRAMES:
            if not _ours(back.f_code.co_filename):
                outer.append((back.f_code, back.f_lineno))
            back = back.f_back
        outer.reverse()
        parts = []
        chain = [(exc, None)] + _chain(exc)
        for i in range(len(chain) - 1, -1, -1):
            one = chain[i][0]
            lines = ['Traceback (most recent call last):'] + self._trace_lines(one, outer if i == 0 else [])
            kind = _kind(type(one))
            name = kind['type'] if kind['module'] in ('builtins', '__main__', '') else \
                '%s.%s' % (kind['module'], kind['type'])
            text = text_of(one)
            lines.append('%s: %s' % (name, text) if text else name)
            parts.append('\n'.join(lines))
            if i:
                parts.append('\nThe above exception was the direct cause of the following exception:\n'
                             if chain[i][1] == 'cause' else '\nDuring handling of the above exception, '
                             'another exception occurred:\n')
        return _cut('\n'.join(parts) + '\n', _TRACE)

    def frames(self, frame):
        """The repository's functions on the stack, innermost first, with their source."""
        found, left = [], _SOURCE * 3
        while frame is not None and len(found) < _FRAMES:
            code = frame.f_code
            place = self.place(code.co_filename)
            if place.path is not None and not _ours(code.co_filename):
                first, last = place.line(code.co_firstlineno), place.line(_last_line(code))
                if code.co_name == '<module>':
                    first = max(1, place.line(frame.f_lineno or 1) - 40)
                    last = first + 80
                source = _cut(place.text(first, last), min(_SOURCE, max(left, 200)))
                left -= len(source)
                found.append({
                    'path': place.path, 'function': getattr(code, 'co_qualname', code.co_name),
                    'line': place.line(frame.f_lineno or 0), 'start_line': first, 'source': source})
            frame = frame.f_back
        return found

    @staticmethod
    def variables(space):
        """{name: repr}, and the names that are cut or left out."""
        shown, cut, left = {}, [], ALL
        until = _alarm.clock() + _SECONDS
        names = [n for n in space if type(n) is str and not (n.startswith('__') and n.endswith('__'))]
        for name in names:
            value = space[name]
            if left <= 0:
                cut.append(name)
                continue
            seconds = until - _alarm.clock()
            if seconds <= 0 and type(value) not in _SCALARS:
                text = '<%s, no time left>' % type(value).__name__
            else:
                text = safe_repr(value, min(VARIABLE, max(left, 40)), max(seconds, 0.05))
            if text.endswith('\u2026'):
                cut.append(name)
            left -= len(text)
            shown[name] = text
            value = None
        return shown, cut

    def crash(self, site, frame, exc, number):
        space = {}
        try:
            _write._read(frame, space)
            facts = frame_facts(space)
            code = frame.f_code
            if code.co_flags & _write._OPTIMIZED:
                names = set(_write._own(code))
            else:
                names = set(frame.f_locals)
            own = {name: space[name] for name in sorted(n for n in names if type(n) is str)
                   if name in space}
            shown, cut = self.variables(own)
            threads = sys.modules.get('threading')
            current = vars(threads)['_active'].get(get_ident()) if threads else None
            place = self.place(code.co_filename)
            context = {
                'protocol': 1,
                'number': number,
                'process': {
                    'pid': os.getpid(), 'ppid': os.getppid(), 'executable': sys.executable or '',
                    'version': list(sys.version_info[:3]),
                    'argv': [_cut(str(item), 1000) for item in getattr(sys, 'argv', ())][:50]},
                'thread': {'id': get_ident(),
                           'name': str(getattr(current, '_name', None) or (
                               'MainThread' if get_ident() == _alarm._main else 'thread'))},
                'site': {
                    'path': site['path'], 'id': site['id'], 'key': site['key'], 'form': site['form'],
                    'kind': site['kind'], 'line': site['line'], 'column': site['column'],
                    'end_line': site.get('end_line', site['line']),
                    'end_column': site.get('end_column'), 'function': site.get('function'),
                    'statement': _cut(place.text(site['line'], site.get('end_line', site['line'])),
                                      VARIABLE)},
                'exception': dict(_kind(type(exc)), message=text_of(exc), chain=[
                    dict(_kind(type(one)), message=text_of(one), relation=relation)
                    for one, relation in _chain(exc)]),
                'traceback': self.traceback(exc, frame),
                'frames': self.frames(frame),
                'locals': shown, 'truncated': cut,
                'may_return': site['form'] in ('statement', 'return-capture', 'return-inline'),
                'frame': facts,
            }
            return context
        finally:
            space.clear()
            own = current = frame = exc = None


_folder = __file__.replace('\\', '/').rpartition('/')[0] + '/'


def _ours(filename):
    return filename.replace('\\', '/').startswith(_folder)
