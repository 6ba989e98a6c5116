"""The server: tokens, pauses, budgets, bounds, the repository, the record."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from side import HEALC, ROOT, Execution, Server, Side


def background(call, *arguments, **more):
    """Calls in a thread; what it returns comes from the returned function."""
    box = []

    def run():
        try:
            box.append((call(*arguments, **more), None))
        except BaseException as error:
            box.append((None, error))
    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result(timeout=30):
        thread.join(timeout)
        assert box, 'still running'
        value, error = box[0]
        if error:
            raise error
        return value
    return result


def pause(server, namespace, **more):
    """A crash that an execution side serves in the background: (id, how it ends)."""
    execution = server.execution(more.pop('session', 'main'))
    status, answer = execution.crash(namespace)
    assert status == 201, answer
    return answer['crash'], background(execution.serve, answer['crash'], namespace, **more)


def execute(side, crash, code, submit=False, **more):
    return side.post('/v1/agent/crashes/%s/execute' % crash,
                      dict(more, code=code, submit=submit))


def records(folder):
    with open(os.path.join(folder, 'record.jsonl')) as file:
        return [json.loads(line) for line in file]


def test_probe_submit_resume():
    with Server() as server:
        namespace = {'table': {'a': 1}, 'name': 'b'}
        crash, ended = pause(server, namespace)
        agent = server.agent()
        status, found = agent.get('/v1/agent/crashes?state=paused&wait=5')
        assert status == 200 and [c['crash'] for c in found['crashes']] == [crash]
        summary = found['crashes'][0]
        assert summary['exception']['type'] == 'KeyError'
        assert summary['site']['line'] == 2 and summary['actions_left'] == 100
        status, result = execute(agent, crash, 'sorted(table)')
        assert (status, result['value'], result['state']) == (200, "['a']", 'paused'), result
        assert result['actions_left'] == 99
        status, result = execute(agent, crash, 'x = table[name]', True)
        assert result['state'] == 'paused' and result['error']['type'] == 'KeyError'
        status, result = execute(agent, crash, 'x = table.get(name, 0)', True)
        assert result['state'] == 'resumed' and result['written'] == ['x'], result
        assert ended() == 'resumed' and namespace['x'] == 0
        status, shown = agent.get('/v1/agent/crashes/' + crash)
        assert shown['state'] == 'resumed'
        assert [a['kind'] for a in shown['actions']] == ['inspect', 'heal', 'heal']
        assert shown['context']['locals']['name'] == "'b'"
        assert execute(agent, crash, '1')[0] == 409
        assert agent.get('/v1/agent/crashes?state=paused')[1]['crashes'] == []


def test_reraise():
    with Server() as server:
        crash, ended = pause(server, {})
        agent = server.agent()
        status, result = agent.post('/v1/agent/crashes/%s/reraise' % crash, {'reason': 'right'})
        assert (status, result['state']) == (200, 'reraised') and ended() == 'reraised'
        status, again = agent.post('/v1/agent/crashes/%s/reraise' % crash)
        assert status == 200 and again == result
        assert agent.get('/v1/agent/crashes/' + crash)[1]['reason'] == 'right'


def test_tokens_open_their_own_side_only():
    with Server() as server:
        crash = server.execution().crash()[1]['crash']
        agent_paths = ['/v1/agent/sessions', '/v1/agent/crashes', '/v1/agent/crashes/' + crash,
                       '/v1/agent/events', '/mcp']
        execution_path = '/v1/executions/main/crashes/%s/actions' % crash
        for token in [None, '', 'x', server.token, server.token[:-1], server.agent_token + 'x']:
            for path in agent_paths:
                side = Side(server.endpoint, token)
                status, problem = side.get(path)
                assert status == 401, (token, path, status)
                assert side.answer.headers['Content-Type'] == 'application/problem+json'
                assert side.answer.headers['WWW-Authenticate'] == 'Bearer'
                assert problem['status'] == 401 and problem['type'] == 'urn:healc:problem:token'
                assert server.agent_token not in json.dumps(problem)
        for token in [None, 'x', server.agent_token]:
            assert Side(server.endpoint, token).get(execution_path)[0] == 401
        # Neither a query nor a cookie brings a token.
        bare = Side(server.endpoint, None)
        assert bare.get('/v1/agent/sessions?token=' + server.agent_token)[0] == 401
        assert bare.get('/v1/agent/sessions',
                        headers={'Cookie': 'token=' + server.agent_token})[0] == 401


def test_sessions_are_apart():
    with Server() as server:
        agent = server.agent()
        status, made = agent.post('/v1/agent/sessions', {'session': 'other'})
        assert status == 201 and made['token'] not in (server.token, server.agent_token)
        assert agent.post('/v1/agent/sessions', {'session': 'other'})[0] == 409
        for bad in ['', '../x', 'a/b', '.x', 'x' * 101, 'ä']:
            assert agent.post('/v1/agent/sessions', {'session': bad})[0] == 400, bad
        other = Execution(server.endpoint, made['token'], 'other')
        crash = other.crash()[1]['crash']
        # The token of one session opens no other, and a crash is found in its session only.
        assert Execution(server.endpoint, made['token'], 'main').crash()[0] == 404
        assert server.execution('other').crash()[0] == 404
        assert server.execution().get('/v1/executions/main/crashes/%s/actions' % crash)[0] == 404
        assert server.execution('unknown').crash()[0] == 404
        assert [c['crash'] for c in
                agent.get('/v1/agent/crashes?session=other')[1]['crashes']] == [crash]
        assert agent.get('/v1/agent/crashes?session=main')[1]['crashes'] == []


def test_any_session():
    with Server('--any-session') as server:
        assert server.execution('fresh').crash()[0] == 201
        assert server.execution('..').crash()[0] in (400, 404)
        # A session with a token of its own is not opened by writing its name in another way.
        agent = server.agent()
        agent.post('/v1/agent/sessions', {'session': 'own'})
        for name in ('own', '%6fwn', 'ow%6e', 'own%2F', './own', '%2e/own'):
            assert server.execution(name).crash()[0] in (401, 404), name
        names = [s['session'] for s in server.agent().get('/v1/agent/sessions')[1]['sessions']]
        assert names == ['fresh', 'main', 'own']


def test_gate_stands_before_the_execution():
    with Server() as server:
        namespace = {'name': 'b'}
        crash, ended = pause(server, namespace)
        agent = server.agent()
        for submit in (False, True):
            status, result = execute(agent, crash, "eval('1')", submit)
            assert status == 200 and result['state'] == 'paused'
            assert result['error']['kind'] == 'gate' and result['error']['findings'], result
            assert 'instead' in result['error']['message']
        assert result['actions_left'] == 98
        assert execute(agent, crash, 'len(name)')[1]['value'] == '1'
        actions = agent.get('/v1/agent/crashes/' + crash)[1]['actions']
        assert [a['seq'] for a in actions] == [None, None, 1]
        agent.post('/v1/agent/crashes/%s/reraise' % crash)
        assert ended() == 'reraised'
    with Server('--gate', 'submit') as server:
        crash, ended = pause(server, {})
        agent = server.agent()
        assert execute(agent, crash, "eval('1')")[1]['value'] == '1'
        assert execute(agent, crash, "eval('1')", True)[1]['error']['kind'] == 'gate'


def test_budget():
    with Server('--actions', '3') as server:
        crash, ended = pause(server, {})
        agent = server.agent()
        assert execute(agent, crash, '1')[1]['actions_left'] == 2
        assert execute(agent, crash, 'import os\nos.fork()')[1]['error']['kind'] == 'gate'
        assert execute(agent, crash, '1 / 0', True)[1]['actions_left'] == 0
        # The budget is used up: the exception goes on.
        assert ended() == 'reraised'
        assert execute(agent, crash, '1')[0] == 409
        status, shown = agent.get('/v1/agent/crashes/' + crash)
        assert shown['state'] == 'reraised' and shown['reason'] == 'budget'


def test_an_id_is_executed_once():
    with Server() as server:
        namespace = {'log': []}
        crash, ended = pause(server, namespace, delay=0.2)
        agents = [server.agent() for _ in range(5)]
        calls = [background(execute, agent, crash, 'log.append(1)', id='mine')
                 for agent in agents]
        answers = [call() for call in calls]
        assert all(answer == answers[0] and answer[0] == 200 for answer in answers), answers
        assert namespace['log'] == [1]
        assert execute(agents[0], crash, 'log.append(1)', id='mine') == answers[0]
        assert execute(agents[0], crash, 'log.append(2)', id='mine')[0] == 409
        assert execute(agents[0], crash, 'log.append(1)', True, id='mine')[0] == 409
        assert execute(agents[0], crash, '1', id='')[0] == 400
        assert execute(agents[0], crash, 'x = 1', True, id='last')[1]['state'] == 'resumed'
        # Also when the pause is over.
        assert execute(agents[0], crash, 'x = 1', True, id='last')[1]['state'] == 'resumed'
        assert ended() == 'resumed' and namespace['log'] == [1]


def test_one_action_at_a_time():
    with Server() as server:
        crash, ended = pause(server, {'n': 0}, delay=0.3)
        agents = [server.agent() for _ in range(4)]
        calls = [background(execute, agent, crash, 'n') for agent in agents]
        statuses = sorted(call()[0] for call in calls)
        assert statuses == [200, 409, 409, 409], statuses


def test_results_are_idempotent_and_checked():
    with Server() as server:
        execution, agent = server.execution(), server.agent()
        crash = execution.crash()[1]['crash']
        answer = background(execute, agent, crash, '1')
        path = execution.path(crash, '/actions?after=0')
        status, action = execution.get(path)
        assert execution.get(path) == (status, action), 'a lost answer can be asked for again'
        results = execution.path(crash, '/results')
        result = {'seq': 1, 'id': action['id'], 'state': 'paused', 'value': '1'}
        assert execution.post(results, dict(result, seq=2))[0] == 409
        assert execution.post(results, dict(result, id='other'))[0] == 409
        assert execution.post(results, dict(result, state='x'))[0] == 400
        assert execution.post(results, dict(result, state='closed'))[0] == 400
        assert execution.post(results, result)[0] == 204
        assert execution.post(results, dict(result, state='resumed', value='2'))[0] == 204
        assert answer()[1]['value'] == '1'
        assert agent.get('/v1/agent/crashes/' + crash)[1]['state'] == 'paused'
        for bad in [b'', b'{', b'[]', b'\xff', b'{"seq": "x"}']:
            assert execution.post(results, bad)[0] == 400


def test_close_and_gone():
    with Server() as server:
        execution, agent = server.execution(), server.agent()
        crash = execution.crash()[1]['crash']
        waiting = background(server.execution().serve, crash, {})
        time.sleep(0.1)
        assert execution.post(execution.path(crash, '/close'), {'reason': 'timeout'})[0] == 204
        assert waiting() == 'status 410'
        shown = agent.get('/v1/agent/crashes/' + crash)[1]
        assert (shown['state'], shown['reason']) == ('closed', 'timeout')
        assert execute(agent, crash, '1')[0] == 409


def test_clients_that_go_in_the_middle():
    with Server() as server:
        namespace = {'log': []}
        execution, agent = server.execution(), server.agent()
        crash = execution.crash(namespace)[1]['crash']
        head = 'Host: localhost\r\nAuthorization: Bearer %s\r\n'
        host = execution.host.split(':')
        # Polls that are given up, with the answer to one of them on its way.
        for _ in range(20):
            with socket.create_connection(host) as raw:
                path = execution.path(crash, '/actions?after=0')
                raw.sendall(('GET %s HTTP/1.1\r\n%s\r\n' % (path, head % server.token)).encode())
        # An agent that goes after it asked: its action is executed, once, and can be asked for.
        body = json.dumps({'code': 'log.append(1)', 'id': 'mine'})
        request = 'POST /v1/agent/crashes/%s/execute HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s'
        with socket.create_connection(host) as raw:
            raw.sendall((request % (crash, head % server.agent_token, len(body), body)).encode())
            time.sleep(0.2)
        ended = background(execution.serve, crash, namespace)
        assert execute(agent, crash, 'log.append(1)', id='mine')[0] == 200
        assert namespace['log'] == [1]
        assert execute(agent, crash, 'x = 1', True)[1]['state'] == 'resumed'
        assert ended() == 'resumed'


def test_an_execution_that_dies_ends_its_pause():
    with Server('--probe-seconds', '1') as server:
        execution, agent = server.execution(), server.agent()
        dies_idle = execution.crash()[1]['crash']
        dies_busy = execution.crash()[1]['crash']
        answer = background(execute, agent, dies_busy, '1')
        status, problem = answer(30)
        assert status == 409 and 'no answer to an action' in problem['detail'], problem
        until = time.time() + 20
        while agent.get('/v1/agent/crashes/' + dies_idle)[1]['state'] == 'paused':
            assert time.time() < until
            time.sleep(0.2)
        shown = agent.get('/v1/agent/crashes/' + dies_idle)[1]
        assert (shown['state'], shown['reason']) == ('closed', 'the execution side is gone')


def test_nobody_acts():
    with Server('--request-seconds', '1') as server:
        crash, ended = pause(server, {})
        assert ended() == 'reraised'
        shown = server.agent().get('/v1/agent/crashes/' + crash)[1]
        assert shown['reason'] == 'nobody acted in time'


def test_a_server_that_stops_lets_go():
    server = Server()
    crash, ended = pause(server, {})
    time.sleep(0.1)
    assert server.stop() == 0
    assert ended() in ('status 410',), ended()


def test_kill_in_the_middle_keeps_the_record():
    with tempfile.TemporaryDirectory() as folder:
        server = Server('--record', folder)
        crash, ended = pause(server, {'a': 1})
        assert execute(server.agent(), crash, 'a')[1]['value'] == '1'
        server.process.kill()
        server.stop()
        try:
            ended()
            raise AssertionError('the execution side noticed nothing')
        except OSError:
            pass
        events = [line['event'] for line in records(folder)]
        assert events == ['start', 'session', 'crash', 'action', 'result'], events
        with open(os.path.join(folder, 'record.jsonl'), 'a') as file:
            file.write('{"record": 1, "ev')
        with Server('--record', folder) as server:
            pass
        with open(os.path.join(folder, 'record.jsonl')) as file:
            lines = file.read().splitlines()
        assert json.loads(lines[-1])['event'] == 'stop' and len(lines) == 9, lines


def test_the_record_has_everything():
    with tempfile.TemporaryDirectory() as folder:
        with Server('--record', folder) as server:
            crash, ended = pause(server, {'a': 1})
            agent = server.agent()
            execute(agent, crash, 'exit()')
            execute(agent, crash, 'a', kind='explore', reason='to see', agent='me',
                    tokens={'input': 5, 'output': 7})
            execute(agent, crash, 'a = 2', True)
            ended()
        found = records(folder)
        assert [line['n'] for line in found] == list(range(1, len(found) + 1))
        assert all(line['record'] == 1 and line['at'] > 1e12 for line in found)
        assert [line['event'] for line in found] == [
            'start', 'session', 'crash', 'action', 'action', 'result', 'action', 'result', 'end',
            'stop']
        assert found[3]['findings'] and found[3]['seq'] is None
        assert found[4]['tokens'] == {'input': 5, 'output': 7}
        assert (found[4]['kind'], found[4]['reason'], found[4]['agent']) == (
            'explore', 'to see', 'me')
        assert found[5]['value'] == '1' and found[8]['outcome'] == 'resumed'
        text = json.dumps(found)
        assert server.token not in text and server.agent_token not in text
        mode = os.stat(os.path.join(folder, 'record.jsonl')).st_mode & 0o777
        assert mode == 0o600, oct(mode)


def test_a_program_cannot_forge_the_record():
    with tempfile.TemporaryDirectory() as folder:
        with Server('--record', folder) as server:
            execution = server.execution()
            crash = execution.crash(event='stop', record=9, n=1, crash='c-other')[1]['crash']
            answer = background(execute, server.agent(), crash, '1')
            action = execution.get(execution.path(crash, '/actions'))[1]
            forged = {'seq': 1, 'id': action['id'], 'state': 'paused', 'event': 'end', 'record': 2,
                      'n': 1, 'at': 0, 'session': 'other', 'crash': 'c-other',
                      'actions_left': 10 ** 6}
            assert execution.post(execution.path(crash, '/results'), forged)[0] == 204
            assert answer()[1]['actions_left'] == 99
        found = records(folder)
        assert [line['event'] for line in found] == [
            'start', 'session', 'crash', 'action', 'result', 'end', 'stop']
        assert [line['n'] for line in found] == list(range(1, 8))
        assert {line['record'] for line in found} == {1}
        assert found[4]['crash'] == crash and found[4]['session'] == 'main'


def test_a_record_that_cannot_be_written_begins_nothing():
    if not os.path.exists('/dev/full'):
        return
    with tempfile.TemporaryDirectory() as folder:
        os.symlink('/dev/full', os.path.join(folder, 'record.jsonl'))
        ran = subprocess.run([HEALC, 'serve', '--record', folder], capture_output=True, text=True)
        assert ran.returncode == 2 and 'record' in ran.stderr, ran


def test_large_bodies():
    with Server() as server:
        execution = server.execution()
        assert execution.crash({'x': 'a' * (3 << 20)})[0] == 201
        large = {'x': 'a' * (5 << 20)}
        try:
            assert execution.crash(large)[0] == 413
        except (ConnectionResetError, BrokenPipeError):
            pass  # it did not wait for all of it
        # Without a length, in chunks.
        with socket.create_connection(execution.host.split(':')) as raw:
            raw.sendall(('POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n'
                         'Transfer-Encoding: chunked\r\n\r\n' % (execution.path(), server.token)
                         ).encode())
            chunk = b'10000\r\n' + b'a' * 65536 + b'\r\n'
            try:
                for _ in range(100):
                    raw.sendall(chunk)
                raw.sendall(b'0\r\n\r\n')
            except OSError:
                pass
            try:
                assert b' 413 ' in raw.recv(200)
            except ConnectionResetError:
                pass
        assert server.agent().get('/v1/agent/sessions')[0] == 200


def test_odd_requests():
    with Server() as server:
        agent, execution = server.agent(), server.execution()
        crash = execution.crash()[1]['crash']
        assert agent.get('/nothing')[0] == 404
        assert agent.call('DELETE', '/v1/agent/sessions')[0] == 405
        assert agent.get('/v1/agent/crashes/c-none')[0] == 404
        assert agent.get('/v1/agent/crashes?wait=x')[0] == 400
        assert agent.get('/v1/agent/crashes?state=x')[0] == 400
        assert execution.get('/v1/executions/main/crashes/%s/actions?after=-1' % crash)[0] == 400
        huge = '/v1/executions/main/crashes/%s/actions?after=%d' % (crash, 2 ** 64 - 1)
        assert execution.post('/v1/executions/main/crashes', {'protocol': 2})[0] == 400
        assert execution.post('/v1/executions/main/crashes', {'protocol': 1})[0] == 400
        for body in (b'', b'[' * 100000, b'{"code": 1}', b'null'):
            assert agent.post('/v1/agent/crashes/%s/execute' % crash, body)[0] == 400
        poll = background(Execution(server.endpoint, server.token).get, huge)
        with socket.create_connection(execution.host.split(':')) as raw:
            raw.sendall(b'GET / HTTP/1.1\r\nX: ' + b'a' * 200000)
            assert b'HTTP/1.1 431' in raw.recv(100)
        assert agent.get('/v1/agent/sessions')[0] == 200
        del poll


def test_hosts_and_origins_of_others():
    with Server() as server:
        agent = server.agent()
        for headers in [{'Host': 'evil.example'}, {'Host': 'evil.example:80'}, {'Host': ''},
                        {'Origin': 'http://evil.example'}, {'Origin': 'null'}]:
            assert agent.get('/v1/agent/sessions', headers=headers)[0] == 403, headers
        fine = {'Origin': server.endpoint}
        assert agent.get('/v1/agent/sessions', headers=fine)[0] == 200
        assert agent.get('/v1/agent/sessions', headers={'Host': 'localhost:1'})[0] == 200


def test_slow_clients_hold_nobody_up():
    with Server() as server:
        host = server.execution().host.split(':')
        slow = []
        for n in range(300):
            raw = socket.create_connection(host)
            if n % 2:
                raw.sendall(b'GET / HTTP/1.1\r\nHost: 127.')
            else:
                raw.sendall(('POST /v1/executions/main/crashes HTTP/1.1\r\nHost: 127.0.0.1\r\n'
                             'Authorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n{'
                             % server.token).encode())
            slow.append(raw)
        agent = server.agent()
        start = time.time()
        crash, ended = pause(server, {'a': 1})
        assert execute(agent, crash, 'a = 2', True)[1]['state'] == 'resumed'
        assert time.time() - start < 5
        # The bodies that do not come are given up after 20 s, heads after a minute.
        for raw in slow[:2 if os.environ.get('HEALC_SLOW') else 1]:
            raw.settimeout(90)
            answer = raw.recv(1000)
            assert answer == b'' or b' 408 ' in answer, answer
        for raw in slow:
            raw.close()


def test_rates_are_bounded():
    with Server() as server:
        side = Side(server.endpoint, 'wrong')
        statuses = [side.get('/v1/agent/sessions')[0] for _ in range(160)]
        assert set(statuses) == {401, 429}, set(statuses)
        assert side.answer.headers['Retry-After'] == '1' or statuses[-1] == 401
        # Who has the token is not hindered.
        assert server.agent().get('/v1/agent/sessions')[0] == 200


def test_many_pauses_at_once():
    with Server() as server:
        def one(n):
            namespace = {'n': n}
            execution = server.execution()
            crash = execution.crash(namespace)[1]['crash']
            return execution.serve(crash, namespace), namespace
        count = 100
        running = [background(one, n) for n in range(count)]
        agent = server.agent()
        until = time.time() + 30
        while True:
            found = agent.get('/v1/agent/crashes?state=paused')[1]['crashes']
            if len(found) == count:
                break
            assert time.time() < until, len(found)
            time.sleep(0.05)
        assert len({c['crash'] for c in found}) == count
        agents = [server.agent() for _ in range(10)]

        def heal(agent, crashes):
            for crash in crashes:
                status, result = execute(agent, crash['crash'], 'm = n + 1', True)
                assert result['state'] == 'resumed', result
        for done in [background(heal, agent, found[i::10]) for i, agent in enumerate(agents)]:
            done()
        for n, done in enumerate(running):
            state, namespace = done()
            assert state == 'resumed' and namespace['m'] == n + 1


def test_long_poll_wakes_up_at_once():
    with Server() as server:
        agent = server.agent()
        waiting = background(agent.get, '/v1/agent/crashes?state=paused&wait=20')
        time.sleep(0.3)
        start = time.time()
        crash = server.execution().crash()[1]['crash']
        assert waiting()[1]['crashes'][0]['crash'] == crash and time.time() - start < 2
        start = time.time()
        order = agent.get('/v1/agent/crashes')[1]['crashes'][0]['order']
        path = '/v1/agent/crashes?state=paused&wait=1&after=%d' % order
        assert agent.get(path)[1]['crashes'] == [] and time.time() - start >= 1


def test_repository_is_read_only_and_closed():
    with tempfile.TemporaryDirectory() as folder:
        repo = os.path.join(folder, 'repo')
        os.makedirs(os.path.join(repo, 'pkg', 'with blank'))
        with open(os.path.join(folder, 'secret'), 'w') as file:
            file.write('secret')
        with open(os.path.join(repo, 'pkg', 'mod.py'), 'w') as file:
            file.write('def look(table, name):\n    return table[name]\n')
        os.symlink('../secret', os.path.join(repo, 'out'))
        os.symlink('pkg', os.path.join(repo, 'in'))
        with Server(repo=repo) as server:
            agent = server.agent()
            base = '/v1/agent/sessions/main/'
            entries = agent.get(base + 'files')[1]['entries']
            assert [(e['path'], e['kind']) for e in entries] == [
                ('in', 'link'), ('out', 'link'), ('pkg', 'folder')]
            assert agent.get(base + 'file?path=in/mod.py&start=2')[1]['text'] == (
                '    return table[name]\n')
            assert agent.get(base + 'search?pattern=t.ble%5C%5B')[1]['hits'][0]['line'] == 2
            assert agent.get(base + 'files?path=pkg/with%20blank')[0] == 200
            for path in ['..', '../secret', '%2e%2e/secret', 'out', '/etc/passwd', 'pkg/../..',
                         '%00', 'in/../../secret']:
                for kind in ('files?path=', 'file?path=', 'search?pattern=s&path='):
                    status, problem = agent.get(base + kind + path)
                    assert status == 404 and 'secret"' not in json.dumps(problem), (path, status)
                    assert folder not in json.dumps(problem)
            assert agent.get(base + 'search?pattern=(')[0] == 404
            assert agent.get(base + 'search')[0] == 400
            assert agent.get('/v1/agent/sessions/none/files')[0] == 404
            # Its own tokens open it, the execution's does not.
            assert Side(server.endpoint, server.token).get(base + 'files')[0] == 401


def test_events():
    with Server() as server:
        with socket.create_connection(server.execution().host.split(':')) as raw:
            raw.sendall(('GET /v1/agent/events HTTP/1.1\r\nHost: localhost\r\n'
                         'Authorization: Bearer %s\r\n\r\n' % server.agent_token).encode())
            raw.settimeout(10)
            text = b''
            while b': hello' not in text:
                text += raw.recv(4096)
            crash = server.execution().crash()[1]['crash']
            while crash.encode() not in text:
                text += raw.recv(4096)
            assert b'text/event-stream' in text and b'event: crash' in text


def test_the_page_and_the_description():
    with Server() as server:
        side = Side(server.endpoint, None)
        status, page = side.get('/')
        policy = side.answer.headers['Content-Security-Policy']
        assert status == 200 and "default-src 'none'" in policy and 'unsafe' not in policy
        assert server.agent_token not in page and server.token not in page
        nonce = policy.split("script-src 'nonce-")[1].split("'")[0]
        assert page.count('nonce="%s"' % nonce) == 2 and '{{' not in page
        assert side.get('/')[1] != page, 'a nonce is used once'
        for word in ('src="http', "src='http", 'href="http', '@import', 'style="', 'onclick='):
            assert word not in page, word
        status, described = side.get('/openapi.json')
        assert status == 200 and described['openapi'].startswith('3.1')
        with open(os.path.join(ROOT, 'src', 'serve', 'api.rs')) as file:
            routes = {line.split('"')[1] for line in file.read().replace('(\n', '(').split('.route(')[1:]
                      for line in [line.replace(' ', '')]}
        assert routes - {'/', '/openapi.json'} <= set(described['paths']), (
            routes - set(described['paths']))
        for path in described['paths']:
            assert path in routes, path


def test_arguments():
    def said(*arguments, **environment):
        ran = subprocess.run([HEALC, 'serve', *arguments], capture_output=True, text=True,
                             timeout=20, env=dict(os.environ, **environment))
        return ran.returncode, ran.stderr
    assert said('/nowhere') == (2, said('/nowhere')[1]) and 'nowhere' in said('/nowhere')[1]
    assert said('--session', 'a/b')[0] == 2
    assert said(HEALC_TOKEN='x', EH_TOKEN='x')[0] == 2
    assert said('--actions', '0')[0] == 2
    assert said('--listen', '192.0.2.1:1')[0] == 2


def test_the_connection_file_is_private():
    with Server() as server:
        mode = os.stat(server.connection_file).st_mode & 0o777
        assert mode == 0o600, oct(mode)
        path = server.connection_file
        assert server.process.poll() is None
        server.process.terminate()
        server.process.wait(20)
        assert not os.path.exists(path)
