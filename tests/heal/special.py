"""Healing sides that go away, lie, dawdle or are not there."""
import hashlib
import hmac
import http.server
import json
import os
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

from side import Server, message

TOKEN = 'token-for-tests'


def start(python, overlay, endpoint, program='crash.py', **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
    env.update(EH_MODE='heal', EH_ENDPOINT=endpoint, EH_TOKEN=TOKEN, EH_SESSION='special',
               PYTHONDONTWRITEBYTECODE='1', **more)
    # What was started in the background ignores SIGINT, and its children would, too.
    return subprocess.Popen([python, os.path.join(overlay, program)], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def crashed(process, seconds=30):
    """Expects the original exception, soon; returns what healc said on stderr."""
    began = time.time()
    out, err = process.communicate(timeout=90)
    assert process.returncode == 1 and out == '', (process.returncode, out, err)
    assert err.endswith("KeyError: 'b'\n") and err.count('Traceback') == 1, err
    assert time.time() - began < seconds, time.time() - began
    return err


class Stub(http.server.BaseHTTPRequestHandler):
    """One crash; `self.server.script` makes the answers to polls and sees the results."""
    protocol_version = 'HTTP/1.1'

    def reply(self, status, value=None):
        body = b'' if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        if self.path.endswith('/crashes'):
            self.server.contexts.append(body)
            self.reply(201, {'crash': 'c-1', 'limits': self.server.limits})
        else:
            self.server.results.append(body)
            self.reply(204)

    def do_GET(self):
        try:
            action = next(self.server.actions)
        except StopIteration:
            self.reply(410)
            return
        if callable(action):
            action(self)
        else:
            self.reply(200, action)

    def log_message(self, *_):
        pass


class Side(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, actions, **limits):
        http.server.HTTPServer.__init__(self, ('127.0.0.1', 0), Stub)
        self.actions, self.limits, self.contexts, self.results = iter(actions), limits, [], []
        self.endpoint = 'http://127.0.0.1:%d' % self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass


def execute(seq, code, submit=True, token=TOKEN, crash='c-1', name=None):
    key = hmac.new(token.encode(), b'healc signature key 1', hashlib.sha256).digest()
    signature = hmac.new(key, message('special', crash, code), hashlib.sha256).hexdigest()
    return {'seq': seq, 'id': name or 'a-%d' % seq, 'action': 'execute', 'submit': submit, 'code': code,
            'signature': signature}


def test_nobody_there(python, overlay):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    assert 'healc: ConnectionRefusedError' in crashed(start(python, overlay, 'http://127.0.0.1:%d' % port))


def test_settings_are_missing_or_wrong(python, overlay):
    assert 'EH_ENDPOINT is not set' in crashed(start(python, overlay, ''))
    assert 'is not http' in crashed(start(python, overlay, 'ftp://x'))
    assert 'EH_MODE=heal: off' in crashed(start(python, overlay, 'http://127.0.0.1:1', EH_HEAL_POLICY='/none'))


def test_a_wrong_token(python, overlay):
    with Server('--any-session') as server:
        assert 'refused: 401' in crashed(start(python, overlay, server.endpoint))


def test_the_server_is_killed(python, overlay):
    with Server('--any-session') as server:
        env = dict(os.environ, **server.environment)
        process = subprocess.Popen([python, os.path.join(overlay, 'crash.py')], env=env, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        crashes = server.agent().get('/v1/agent/crashes?state=paused&wait=20')[1]['crashes']
        assert len(crashes) == 1
        server.process.send_signal(signal.SIGKILL)
        crashed(process)


def test_code_that_is_not_signed_is_not_executed(python, overlay):
    codes = [execute(1, "value = 1", token='other'), execute(2, "value = 1", crash='c-2'),
             dict(execute(3, "value = 1"), code='value = 2'), dict(execute(4, "value = 1"), signature=None)]
    side = Side(codes + [{'seq': 5, 'id': 'a-5', 'action': 'reraise'}])
    crashed(start(python, overlay, side.endpoint))
    kinds = [(r['error'] or {}).get('kind') for r in side.results]
    assert kinds == ['signature'] * 4 + [None] and side.results[4]['state'] == 'reraised', side.results


def test_built_ins_are_the_gates(python, overlay):
    # Signed, though no gate would let them pass: the second wall.
    codes = ["eval('1')", "__import__('os')", "open('/etc/passwd')", "globals()"]
    side = Side([execute(i + 1, code) for i, code in enumerate(codes)])
    crashed(start(python, overlay, side.endpoint))
    kinds = [r['error'] and r['error']['type'] for r in side.results]
    assert kinds == ['NameError'] * 4, side.results


def test_an_action_is_executed_once(python, overlay):
    side = Side([execute(1, 'table["n"] = table.get("n", 0) + 1', name='a'),
                 execute(2, 'table["n"]', submit=False)])
    process = start(python, overlay, side.endpoint)
    process.communicate(timeout=60)
    # A submission that succeeds ends the pause, so the same probe twice:
    side = Side([execute(1, 'table.setdefault("n", []).append(1)', submit=False, name='a'),
                 execute(2, 'table.setdefault("n", []).append(1)', submit=False, name='a'),
                 execute(3, 'len(table["n"])', submit=False), execute(4, 'value = len(table["n"])')])
    process = start(python, overlay, side.endpoint)
    out, err = process.communicate(timeout=60)
    assert out == 'value 1\n', (out, err, side.results)
    assert [r['value'] for r in side.results] == [None, None, '1', None]


def test_the_budget(python, overlay):
    side = Side([execute(i + 1, '1', submit=False) for i in range(10)])
    side.limits = {'actions': 3}
    crashed(start(python, overlay, side.endpoint))
    assert [r['state'] for r in side.results] == ['paused'] * 3 + ['reraised'], side.results


def test_no_action_comes(python, overlay):
    side = Side((lambda handler: handler.reply(204)) for _ in range(10 ** 6))
    side.limits = {'request': 0.1}
    process = start(python, overlay, side.endpoint)
    time.sleep(1)
    process.send_signal(signal.SIGINT)  # the pause can be interrupted
    out, err = process.communicate(timeout=30)
    assert 'KeyboardInterrupt' in err and process.returncode != 0, err
    assert side.results[-1] == {'reason': 'interrupted'}, side.results


def test_nonsense(python, overlay):
    def raw(data, close=True):
        def answer(handler):
            handler.wfile.write(data)
            handler.wfile.flush()
            handler.close_connection = close
            if close:
                handler.connection.shutdown(socket.SHUT_RDWR)
        return answer
    ok = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: '
    for text in (b'gibberish\r\n\r\n', b'HTTP/1.1 200 OK\r\n\r\n', ok + b'20\r\n\r\n{"seq"', ok + b'-1\r\n\r\n',
                 ok + b'99999999999\r\n\r\n', ok + b'4\r\n\r\n\xff\xff\xff\xff', ok + b'2\r\n\r\n[]',
                 ok + b'12\r\n\r\n{"seq": "x"}', b'X' * 200000, b'', ok + b'100000\r\n\r\n' + b'[' * 100000):
        crashed(start(python, overlay, Side([raw(text)]).endpoint))


def test_a_slow_server(python, overlay):
    """It sends a byte now and then: the answer to a crash has 30 seconds in all."""
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(1)

    def drip():
        connection = listener.accept()[0]
        try:
            for byte in b'HTTP/1.1 201 Created\r\nX: ' + b'x' * 1000:
                connection.sendall(bytes([byte]))
                time.sleep(0.5)
        except OSError:
            pass
    threading.Thread(target=drip, daemon=True).start()
    process = start(python, overlay, 'http://127.0.0.1:%d' % listener.getsockname()[1])
    said = crashed(process, 45)
    assert ' in time' in said, said
    listener.close()


def run(test, python, overlay):
    import traceback
    try:
        test(python, overlay)
        return []
    except BaseException:
        return [traceback.format_exc()]
