"""EH_MODE=heal: an exception that nobody will handle pauses the thread, and a healing side
decides over HTTP what becomes of it.

    EH_ENDPOINT         http://HOST:PORT of the healing side
    EH_TOKEN            opens its execution side; also the root of the signature key
    EH_SESSION          what this execution belongs to
    EH_REPO             the original repository, for source text in an overlay
    EH_HEAL_POLICY      rules of what pauses, as JSON (`healc` makes it of rules/heal.toml)
    EH_CONTAIN=1        undo what a failed submission did to objects
    EH_TEST_TIMEOUT     suspend (default) or keep: the process's timer while paused
    EH_PROBE_SECONDS, EH_SUBMIT_SECONDS, EH_REQUEST_SECONDS, EH_ACTIONS
                        limits, where the healing side does not name its own
    EH_LOG              a file: one line of JSON for each exception, with the decision

Only code that the healing side has signed for this very crash is executed, and its built-ins
are those of the gate. Whatever goes wrong on the way means that the original exception goes
on, as it was.
"""
import builtins
import hashlib
import hmac
import sys
from _thread import get_ident
from itertools import count
from sys import exc_info

from _eh_runtime import _alarm, _contain, _context, _expected, _hook, _sites, _wire, _write

_TREE_ONLY = 0x400
_STDOUT = 65536  # characters
_POLL, _GRACE = 25.0, 15.0  # seconds
_GIVE_UP = 3  # failed connections in a row
_REMEMBERED = 512


class _Output:
    """`sys.stdout` for one thread; the others write to the real one."""

    def __init__(self, real):
        self.real, self.thread, self.parts, self.left = real, get_ident(), [], _STDOUT

    def write(self, text):
        if get_ident() != self.thread:
            return self.real.write(text)
        if not isinstance(text, str):
            raise TypeError('write() argument must be str, not %s' % type(text).__name__)
        if self.left > 0:
            self.parts.append(text[:self.left])
            self.left -= len(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if get_ident() != self.thread:
            self.real.flush()

    def __getattr__(self, name):
        return getattr(self.real, name)

    def text(self):
        return ''.join(self.parts) + ('\u2026' if self.left < 0 else '')


class _Action(_write.Snippet):
    """A probe or a submission."""
    show = staticmethod(_context.text_of)

    def __init__(self, text, submit, seconds, allowed):
        name = '<submission>' if submit else '<probe>'
        tree = compile(text, name, 'exec', _TREE_ONLY, dont_inherit=True)
        last = tree.body.pop() if tree.body and type(tree.body[-1]).__name__ == 'Expr' else None
        self.last = None
        if last is not None:
            import _ast
            self.last = compile(_ast.Expression(last.value), name, 'eval', dont_inherit=True)
        _write.Snippet.__init__(self, compile(tree, name, 'exec', dont_inherit=True))
        self.submit, self.seconds, self.builtins = submit, seconds, allowed
        self.stdout, self.value = '', None

    def run(self, ns):
        out, real = None, sys.stdout
        try:
            dict.__setitem__(ns, '__builtins__', dict(self.builtins))
            out = _Output(real)
            sys.stdout = out
            alarm = _alarm.Alarm(self.seconds)
            try:
                exec(self.code, ns)
                if self.last is not None:
                    value = eval(self.last, ns)
                    if value is not None:
                        self.value = _context._shown(value, _context.VARIABLE)
            finally:
                alarm.stop()
                if sys.stdout is out:
                    sys.stdout = real
                self.stdout = out.text()
        finally:  # somebody may keep this frame
            ns = out = real = value = None


def _frames_of(failure):
    lines = ['Traceback (most recent call last):']
    for name, line, function, own in failure.frames[-20:]:
        lines.append('  File "%s", line %s%s' % (name[:500], line, '' if own else ', in ' + function))
    lines.append('%s: %s' % (failure.type.__name__, failure.text))
    return '\n'.join(lines)


def _error(failure, seconds):
    """A Failure, as results have it."""
    kind = failure.type
    if issubclass(kind, _write.NoValue):
        return {'kind': 'return-value', 'type': None, 'message': failure.text, 'traceback': None}
    if issubclass(kind, _write.Refused):
        return {'kind': 'execution', 'type': None, 'message': failure.text, 'traceback': None}
    if issubclass(kind, _alarm.TimeUp):
        return {'kind': 'timeout', 'type': None, 'traceback': _frames_of(failure),
                'message': 'stopped after %g seconds' % seconds}
    return {'kind': 'execution', 'type': kind.__name__, 'message': failure.text,
            'traceback': _frames_of(failure)}


class _Pause:
    """One crash, from its registration to its end."""

    def __init__(self, healer, site, frame, exc):
        self.healer, self.site = healer, site
        self.wire = healer.wire.copy()
        self.limits = dict(healer.limits)
        self.crash, self.done = None, {}

    def open(self, context):
        status, answer = self.wire.call('POST', self.healer.path(), context)
        if status != 201 or type(answer) is not dict or type(answer.get('crash')) is not str:
            said = answer.get('detail') if type(answer) is dict else None
            raise _wire.Unreachable('the crash was refused: %s %s' % (status, said or ''))
        self.crash = answer['crash']
        if not self.crash or set(self.crash) - _NAME:
            raise _wire.Unreachable('the crash has no usable name')
        given = answer.get('limits')
        for name, value in given.items() if type(given) is dict else ():
            if name in self.limits and type(value) in (int, float) and value > 0:
                self.limits[name] = value

    def serve(self, frame, exc):
        """Actions, until one ends the pause: (action, value)."""
        after, actions = 0, 0
        until = _alarm.clock() + self.limits['request'] + _GRACE
        try:
            while True:
                status, action = self.wire.call(
                    'GET', self.healer.path(self.crash, '/actions?after=%d' % after),
                    seconds=_POLL + _GRACE)
                if status == 204:
                    if _alarm.clock() > until:
                        self.close('no action for %g seconds' % self.limits['request'])
                        return 'reraise', None
                    continue
                if status != 200 or type(action) is not dict or type(action.get('seq')) is not int:
                    return 'reraise', None
                until = _alarm.clock() + self.limits['request'] + _GRACE
                after = action['seq']
                actions += 1
                result = {'seq': after, 'id': action.get('id'), 'state': 'paused', 'stdout': '',
                          'value': None, 'error': None, 'elapsed_ms': 0.0, 'written': []}
                outcome = 'reraise', None
                if action.get('id') in self.done:  # each action once
                    result = dict(self.done[action['id']], seq=after)
                elif action.get('action') == 'reraise' or actions > self.limits['actions']:
                    result['state'] = 'reraised'
                elif action.get('action') == 'execute':
                    start = _alarm.clock()
                    outcome = self.execute(action, frame, exc, result)
                    result['elapsed_ms'] = round((_alarm.clock() - start) * 1000, 3)
                else:
                    result['error'] = {'kind': 'internal', 'type': None, 'traceback': None,
                                       'message': 'no such action'}
                self.done[action.get('id')] = result
                try:
                    status, _ = self.wire.call(
                        'POST', self.healer.path(self.crash, '/results'), result)
                except _wire.Unreachable:
                    status = None
                if result['state'] != 'paused':
                    return outcome  # done is done, whether or not it was heard
                if status != 204:
                    return 'reraise', None
        finally:
            frame = exc = None

    def execute(self, action, frame, exc, result):
        try:
            text, submit = action.get('code'), action.get('submit') is True
            if type(text) is not str or not self.healer.signed(self.crash, text, action.get('signature')):
                result['error'] = {
                    'kind': 'signature', 'type': None, 'traceback': None,
                    'message': 'not executed: the code is not signed for this crash'}
                return 'reraise', None
            seconds = self.limits['submit' if submit else 'probe']
            try:
                snippet = _Action(text, submit, seconds, self.healer.builtins)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                result['error'] = {'kind': 'execution', 'type': type(error).__name__,
                                   'message': str(error)[:_context.VARIABLE], 'traceback': None}
                return 'reraise', None
            held = None
            if submit and self.healer.contain:
                held = self.snapshot(frame)
            done, value, failure = _write.heal(snippet, self.site['form'], frame, exc)
            result['stdout'], result['value'] = snippet.stdout, snippet.value
            if failure is not None:
                result['error'] = _error(failure, seconds)
                if held is not None:
                    result['contained'] = {'restored': held.restore(),
                                           'not_covered': sorted(held.left_out)}
                return 'reraise', None
            result['written'] = list(snippet.written)
            if submit:
                result['state'] = 'returned' if done == 'return' else 'resumed'
            return done, value
        finally:
            held = frame = exc = value = None

    @staticmethod
    def snapshot(frame):
        space = {}
        try:
            _write._read(frame, space)
            return _contain.Snapshot(space.values(), [frame.f_globals])
        finally:
            space.clear()
            frame = None

    def close(self, reason):
        if self.crash is None:
            return
        try:
            self.wire.call('POST', self.healer.path(self.crash, '/close'), {'reason': reason}, seconds=2.0)
        except _wire.Unreachable:
            pass


_NAME = frozenset('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-')


class Healer:
    def __init__(self, setting, warn):
        self.wire = _wire.Wire(setting('EH_ENDPOINT'), setting('EH_TOKEN'))
        self.session = setting('EH_SESSION') or 'main'
        if set(self.session) - _NAME:
            raise ValueError('EH_SESSION has characters other than letters, digits and ._-')
        self.key = hmac.new(setting('EH_TOKEN').encode(), b'healc signature key 1',
                            hashlib.sha256).digest()
        data = _policy(setting('EH_HEAL_POLICY'))
        self.policy = _expected.Policy(data['heal'])
        self.builtins = {name: getattr(builtins, name) for name in data['builtins']
                         if hasattr(builtins, name)}
        for name in ('True', 'False', 'None'):
            self.builtins.pop(name, None)
        repo = setting('EH_REPO')
        self.context = _context.Context(repo and _sites.absolute(repo))
        self.contain = setting('EH_CONTAIN') == '1'
        self.keep_timer = setting('EH_TEST_TIMEOUT') == 'keep'
        log = setting('EH_LOG')
        self.log = log and _sites.absolute(log)
        self.limits = {}
        for name, default in ('probe', 20), ('submit', 30), ('request', 300):
            self.limits[name] = _number(setting('EH_%s_SECONDS' % name.upper()), default)
        self.limits['actions'] = _number(setting('EH_ACTIONS'), 100)
        self.warn = warn
        self.tables, self.numbers = {}, count(1)
        self.failures, self.warned = 0, set()
        self.decided = {}  # id of an exception that was declined -> where its traceback began

    def path(self, crash='', rest=''):
        return '/v1/executions/%s/crashes%s%s' % (self.session, crash and '/' + crash, rest)

    def signed(self, crash, text, signature):
        if type(signature) is not str:
            return False
        message = b'healc submission 1\n'
        for part in (self.session, crash, text):
            part = part.encode('utf-8', 'surrogatepass')
            message += len(part).to_bytes(8, 'big') + part
        right = hmac.new(self.key, message, hashlib.sha256).hexdigest()
        return hmac.compare_digest(right.encode(), signature.encode('utf-8', 'replace'))

    # -- what _hook asks ------------------------------------------------------------

    def may_answer(self, filename, number):
        return self.failures < _GIVE_UP

    def site(self, filename, number):
        if filename not in self.tables:
            table = _sites.table(filename)
            sites = table and table['sites']
            for site in sites or ():
                site['path'] = table['path']
            self.tables[filename] = sites
        sites = self.tables[filename]
        return sites[number] if sites and 0 <= number < len(sites) else None

    def answer(self, site, frame, exc):
        try:
            if self._was_declined(site, exc):
                return 'reraise', None
            kind = exc_info()[0]
            expected, reason = _expected.decide(self.policy, site, frame, exc, kind)
            if expected:
                self._note(site, kind, 'expected', reason)
                return 'reraise', None
            return self._pause(site, frame, exc, kind, reason)
        finally:
            frame = exc = None

    def _pause(self, site, frame, exc, kind, reason):
        chain = _write._chain(exc)
        pause, timer, action, value, how = None, None, 'reraise', None, 'unreachable'
        try:
            pause = _Pause(self, site, frame, exc)
            timer = _alarm.Pause(self.keep_timer)
            context = self.context.crash(site, frame, exc, next(self.numbers))
            context['decision'] = reason
            if timer.warning:
                context['warning'] = timer.warning
                self._warn_once(timer.warning)
            pause.open(context)
            self.failures = 0
            action, value = pause.serve(frame, exc)
            how = action
        except _wire.Unreachable as error:
            if pause.crash is None:
                self.failures += 1
            self._warn_once('%s: exceptions go on as they are' % error)
        except BaseException:
            if pause is not None:
                pause.close('interrupted')
            raise
        finally:
            if pause is not None:
                pause.wire.close()
            if timer is not None:
                timer.end()
            if action == 'reraise':
                _write._restore(chain)
                self._decline(site, exc)
            chain = frame = exc = None
        self._note(site, kind, how, reason)
        return action, value

    def _warn_once(self, text):
        if text not in self.warned and len(self.warned) < 20:
            self.warned.add(text)
            self.warn(ascii(text)[1:-1])

    def _note(self, site, kind, action, reason):
        if self.log:
            _sites.append(self.log, {
                'key': site['key'], 'path': site['path'], 'line': site['line'],
                'function': site.get('function'), 'exception': kind.__name__,
                'action': action, 'reason': reason})

    # -- exceptions that were declined -----------------------------------------------

    # The exception itself is not kept, and its address may be another's later. One that goes
    # on has, further out, the traceback that it was declined with as the rest of its own; a new
    # one that had that rest would have been caught at the same place before.

    def _was_declined(self, site, exc):
        known = self.decided.get(id(exc))
        trace, first = _write._TRACEBACK.__get__(exc), True
        while known is not None and trace is not None:
            if (id(trace), trace.tb_lasti) == known[:2]:
                # in the same frame: by a statement around the one where it was declined
                return not first or known[2] != site['id']
            trace, first = trace.tb_next, False
        return False

    def _decline(self, site, exc):
        trace = _write._TRACEBACK.__get__(exc)
        if trace is None:
            return
        while len(self.decided) >= _REMEMBERED:
            self.decided.pop(next(iter(self.decided)), None)
        self.decided[id(exc)] = id(trace), trace.tb_lasti, site['id']


def _number(text, default):
    try:
        value = float(text)
        return value if value > 0 else default
    except ValueError:
        return default


def _policy(path):
    if path:
        text = _sites.read(_sites.absolute(path))
    else:
        text = _sites.read(__file__.rpartition('_heal.py')[0] + '_policy.json')
    return _sites._decode(text.decode('utf-8'))


def arm(setting, on_death, warn):
    for name in ('EH_ENDPOINT', 'EH_TOKEN'):
        if not setting(name):
            raise ValueError(name + ' is not set')
    return _hook.arm(Healer(setting, warn), on_death)
