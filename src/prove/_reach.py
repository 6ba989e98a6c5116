"""As `sitecustomize`: which lines below $HEALC_REACH_BELOW run, into a file of each process.

Each line of `$HEALC_REACH/<pid>.txt` is a file's path, a tab, and its line numbers. Makes way for the
real `sitecustomize`.
"""
import atexit
import os
import sys
import threading
from dis import findlinestarts

_below = os.environ['HEALC_REACH_BELOW']
_folder = os.environ['HEALC_REACH']
_seen = {}


def _write():
    with open(os.path.join(_folder, '%d.txt' % os.getpid()), 'w', encoding='utf-8', errors='surrogateescape') as file:
        for path, lines in list(_seen.items()):
            file.write('%s\t%s\n' % (path, ' '.join(map(str, sorted(lines)))))


def _by_monitoring():
    monitoring = sys.monitoring
    tool = next(n for n in (4, 3) if monitoring.get_tool(n) is None)
    monitoring.use_tool_id(tool, 'healc prove')

    def line(code, number):
        path = code.co_filename
        if path.startswith(_below):
            _seen.setdefault(path, set()).add(number)
        return monitoring.DISABLE

    monitoring.register_callback(tool, monitoring.events.LINE, line)
    monitoring.set_events(tool, monitoring.events.LINE)


def _by_tracing():
    left = {}  # lines of code objects that did not run yet

    def local(frame, event, argument):
        if event == 'line':
            code = frame.f_code
            _seen[code.co_filename].add(frame.f_lineno)
            lines = left[code]
            lines.discard(frame.f_lineno)
            if not lines and hasattr(frame, 'f_trace_lines'):  # since 3.7
                frame.f_trace_lines = False
        return local

    def trace(frame, event, argument):
        code = frame.f_code
        if not code.co_filename.startswith(_below):
            return None
        lines = left.get(code)
        if lines is None:
            lines = left[code] = {line for _, line in findlinestarts(code) if line}
        if not lines:
            return None
        _seen.setdefault(code.co_filename, set()).add(frame.f_lineno)
        return local

    sys.settrace(trace)
    threading.settrace(trace)


(_by_monitoring if hasattr(sys, 'monitoring') else _by_tracing)()
atexit.register(_write)
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
sys.modules.pop('sitecustomize', None)
try:
    import sitecustomize  # noqa
except ImportError:
    pass
