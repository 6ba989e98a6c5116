"""The Model Context Protocol, over standard input and output and over HTTP, spoken by hand."""
import json
import os
import subprocess
import tempfile

from side import HEALC, Server, Side
from test_server import background, pause

START = {'protocolVersion': '2025-06-18', 'capabilities': {},
         'clientInfo': {'name': 'tester', 'version': '1'}}


class Stdio:
    def __init__(self, server):
        self.number = 0
        self.process = subprocess.Popen(
            [HEALC, 'mcp', '--connection', server.connection_file], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.info = self.ask('initialize', START)
        self.send({'method': 'notifications/initialized'})

    def send(self, message):
        self.process.stdin.write(json.dumps(dict(message, jsonrpc='2.0')) + '\n')
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get('id') == self.number:
                return answer['result'] if 'result' in answer else answer

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        assert self.process.wait(10) == 0


class Http:
    def __init__(self, server):
        self.side, self.number = server.agent(), 0
        self.headers = {'Accept': 'application/json, text/event-stream',
                        'Content-Type': 'application/json'}
        self.info = self.ask('initialize', START)
        session = self.side.answer.headers.get('Mcp-Session-Id')
        if session:
            self.headers['Mcp-Session-Id'] = session
        self.side.post('/mcp', {'jsonrpc': '2.0', 'method': 'notifications/initialized'},
                       headers=self.headers)

    def ask(self, method, params):
        self.number += 1
        message = {'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params}
        status, text = self.side.post('/mcp', message, headers=self.headers)
        assert status == 200, (status, text)
        if isinstance(text, dict):
            answer = text
        else:
            data = [line[5:] for line in text.splitlines() if line.startswith('data:')]
            answer = [json.loads(d) for d in data if d.strip()][-1]
        return answer['result'] if 'result' in answer else answer

    def end(self):
        status, _ = self.side.call('DELETE', '/mcp', headers=self.headers)
        assert status in (200, 202, 204), status


def use(client, server):
    def tool(name, **arguments):
        answer = client.ask('tools/call', {'name': name, 'arguments': arguments})
        return answer['content'][0]['text'], answer.get('isError', False), answer
    assert client.info['serverInfo']['name'] == 'healc' and '_eh_rtn' in client.info['instructions']
    names = {t['name']: t for t in client.ask('tools/list', {})['tools']}
    assert set(names) == {'wait_for_crash', 'show_crash', 'execute', 'reraise', 'list_files',
                          'read_file', 'search_files'}
    assert names['execute']['inputSchema']['required'] == ['code', 'submit']
    assert names['read_file']['annotations']['readOnlyHint'] is True
    assert tool('execute', code='1', submit=False)[:2] == ('no crash is paused', True)
    namespace = {'table': {'a': 1}, 'name': 'b'}
    waiting = background(tool, 'wait_for_crash', seconds=20)
    crash, ended = pause(server, namespace)
    assert crash in waiting()[0]
    text, error, _ = tool('show_crash')
    assert 'KeyError' in text and 'x = table[name]' in text and not error
    text, error, answer = tool('execute', code='sorted(table)', submit=False)
    assert "['a']" in text and answer['structuredContent']['value'] == "['a']"
    text, error, _ = tool('execute', code="eval('1')", submit=True)
    assert 'Error (gate)' in text and not error
    assert 'def look' in tool('read_file', path='pkg/mod.py')[0]
    assert 'pkg/' in tool('list_files')[0]
    assert 'pkg/mod.py:1:' in tool('search_files', pattern='look')[0]
    assert tool('read_file', path='../secret')[1] is True
    assert 'error' in client.ask('tools/call', {'name': 'none', 'arguments': {}})
    assert tool('execute', crash='c-none', code='1', submit=False)[1] is True
    assert 'Healed' in tool('execute', crash=crash, code='x = 0', submit=True, reason='why')[0]
    assert ended() == 'resumed' and namespace['x'] == 0
    actions = server.agent().get('/v1/agent/crashes/' + crash)[1]['actions']
    assert (actions[-1]['agent'], actions[-1]['reason']) == ('tester', 'why')
    crash, ended = pause(server, {})
    assert 'went on' in tool('reraise')[0] and ended() == 'reraised'
    client.end()


def with_server(kind):
    with tempfile.TemporaryDirectory() as repo:
        os.mkdir(os.path.join(repo, 'pkg'))
        with open(os.path.join(repo, 'pkg', 'mod.py'), 'w') as file:
            file.write('def look(table, name):\n    return table[name]\n')
        with Server(repo=repo) as server:
            use(kind(server), server)


def test_mcp_over_stdio():
    with_server(Stdio)


def test_mcp_over_http():
    with_server(Http)


def test_mcp_wants_the_token():
    with Server() as server:
        for token in (None, 'x', server.token):
            assert Side(server.endpoint, token).post('/mcp', {'jsonrpc': '2.0'})[0] == 401
        ran = subprocess.run([HEALC, 'mcp', '--endpoint', server.endpoint], text=True,
                             capture_output=True, env=dict(os.environ, HEALC_TOKEN='x'))
        assert ran.returncode == 2 and 'agent token' in ran.stderr, ran
