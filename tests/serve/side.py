"""An execution side and an agent in a few lines, for tests of the server.

`Execution` speaks the protocol as the runtime does, but executes in a plain dict.
"""
import contextlib
import hashlib
import hmac
import http.client
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from urllib.parse import urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEALC = os.environ.get('HEALC') or os.path.join(ROOT, 'target', 'release', 'healc')


class Side:
    """A client with a token and one connection that is kept."""

    def __init__(self, endpoint, token):
        self.host, self.token, self.connection = urlsplit(endpoint).netloc, token, None

    def call(self, method, path, body=None, headers=None, timeout=60):
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        head = {'Authorization': 'Bearer ' + self.token} if self.token else {}
        head.update(headers or {})
        for fresh in (False, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, timeout=timeout)
            try:
                self.connection.request(method, path, data, head)
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.connection = None
                if fresh:
                    raise
        self.answer = answer
        if answer.will_close:
            self.connection = None
        kind = answer.headers.get('Content-Type', '')
        return answer.status, json.loads(text) if 'json' in kind else text.decode()

    def get(self, path, **more):
        return self.call('GET', path, **more)

    def post(self, path, body=None, **more):
        return self.call('POST', path, body, **more)


def message(session, crash, code):
    parts = b''.join(len(part).to_bytes(8, 'big') + part
                     for part in (session.encode(), crash.encode(), code.encode()))
    return b'healc submission 1\n' + parts


class Execution(Side):
    def __init__(self, endpoint, token, session='main'):
        super().__init__(endpoint, token)
        self.session = session
        self.key = hmac.new(token.encode(), b'healc signature key 1', hashlib.sha256).digest()

    def path(self, crash='', rest=''):
        return '/v1/executions/%s/crashes%s%s' % (self.session, crash and '/' + crash, rest)

    def crash(self, namespace=None, error=None, **more):
        """Registers a crash; returns (status, answer)."""
        error = error or KeyError('name')
        context = {
            'protocol': 1, 'number': 1,
            'process': {'pid': os.getpid(), 'ppid': 1, 'executable': sys.executable,
                        'version': list(sys.version_info[:3]), 'argv': ['app.py']},
            'thread': {'id': 1, 'name': 'MainThread'},
            'site': {'path': 'pkg/mod.py', 'id': 3, 'key': '9f86d081884c7d65' * 4,
                     'form': 'plain', 'kind': 'assign', 'line': 2, 'column': 4, 'end_line': 2,
                     'end_column': 20, 'statement': 'x = table[name]', 'function': 'look'},
            'exception': {'type': type(error).__name__, 'module': 'builtins',
                          'message': str(error), 'chain': []},
            'traceback': 'Traceback (most recent call last):\n  File "pkg/mod.py", line 2, in '
                         'look\n    x = table[name]\nKeyError: \'name\'\n',
            'frames': [{'path': 'pkg/mod.py', 'function': 'look', 'line': 2, 'start_line': 1,
                        'source': 'def look(table, name):\n    x = table[name]\n    return x\n'}],
            'locals': {name: repr(value) for name, value in (namespace or {}).items()},
            'truncated': [], 'may_return': True, 'frame': {'modules': {}, 'shadowed': []},
        }
        context.update(more)
        return self.post(self.path(), context)

    def serve(self, crash, namespace, delay=0):
        """Executes actions until one ends the pause; returns how it ended."""
        after = 0
        while True:
            status, action = self.get(self.path(crash, '/actions?after=%d' % after))
            if status == 204:
                continue
            if status != 200:
                return 'status %d' % status
            after = action['seq']
            result = {'seq': after, 'id': action['id'], 'state': 'paused', 'stdout': '',
                      'value': None, 'error': None, 'elapsed_ms': 0.1, 'written': []}
            if action['action'] == 'reraise':
                result['state'] = 'reraised'
            else:
                self.execute(crash, action, namespace, result)
            time.sleep(delay)
            status, _ = self.post(self.path(crash, '/results'), result)
            assert status == 204, (status, _)
            if result['state'] != 'paused':
                return result['state']

    def execute(self, crash, action, namespace, result):
        code = action['code']
        right = hmac.new(self.key, message(self.session, crash, code), hashlib.sha256)
        if not hmac.compare_digest(right.hexdigest(), action['signature']):
            result['error'] = {'kind': 'signature', 'type': None, 'message': 'wrong signature',
                               'traceback': None}
            return
        space = dict(namespace)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                try:
                    result['value'] = repr(eval(code, space))
                except SyntaxError:
                    exec(code, space)
        except Exception as error:
            result['error'] = {'kind': 'execution', 'type': type(error).__name__,
                               'message': str(error), 'traceback': traceback.format_exc()}
        else:
            if action['submit']:
                space.pop('__builtins__', None)
                result['written'] = sorted(n for n in space if n not in namespace
                                           or space[n] is not namespace[n])
                namespace.update(space)
                result['state'] = 'returned' if '_eh_rtn' in space else 'resumed'
        result['stdout'] = out.getvalue()


class Server:
    """`healc serve` with its connection file, in a folder of its own."""

    def __init__(self, *arguments, repo=None):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, 'connection.json')
        command = [HEALC, 'serve', '--connection', path, *arguments, *([repo] if repo else [])]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        until = time.time() + 20
        while not os.path.exists(path):
            if self.process.poll() is not None or time.time() > until:
                raise RuntimeError(self.process.communicate()[1])
            time.sleep(0.005)
        self.connection_file = path
        with open(path) as file:
            found = json.load(file)
        self.endpoint, self.agent_token = found['endpoint'], found['agent_token']
        self.environment = found['environment']
        self.token = self.environment['EH_TOKEN']

    def agent(self):
        return Side(self.endpoint, self.agent_token)

    def execution(self, session='main'):
        return Execution(self.endpoint, self.token, session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.said = self.process.communicate(timeout=20)[1]
        self.folder.cleanup()
        return self.process.returncode
