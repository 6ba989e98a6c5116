"""What a pause costs without the thinking: python3.11 benches/pause.py [ROUNDS]

An execution side registers a crash and polls; an agent that waits hears of it, probes and submits;
the execution side resumes. All in Python but the server ($HEALC, or target/release/healc), on
loopback, one after the other; then 100 executions paused at once, each probed and healed by 8 agents.
"""
import os
import statistics
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'serve'))
from side import Server


def quantiles(name, seconds):
    ms = sorted(s * 1000 for s in seconds)
    print('| %s | %.2f | %.2f | %.2f | %.2f |' % (
        name, statistics.median(ms), ms[int(len(ms) * .95)], ms[int(len(ms) * .99)], ms[-1]))


def one_by_one(server, rounds):
    execution, agent = server.execution(), server.agent()
    heard, probed, ended, whole = [], [], [], []
    last = 0
    for n in range(rounds):
        namespace = {'table': {'a': 1}, 'name': 'b'}
        hears = []

        def wait():
            found = agent.get('/v1/agent/crashes?state=paused&wait=30&after=%d' % last)[1]
            hears.append((time.perf_counter(), found['crashes'][0]))
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.002)
        start = time.perf_counter()
        crash = execution.crash(namespace)[1]['crash']
        serving = threading.Thread(target=execution.serve, args=(crash, namespace))
        serving.start()
        waiting.join()
        at, summary = hears[0]
        last = summary['order']
        path = '/v1/agent/crashes/%s/execute' % crash
        begin = time.perf_counter()
        agent.post(path, {'code': 'sorted(table)', 'submit': False})
        middle = time.perf_counter()
        agent.post(path, {'code': 'x = table.get(name, 0)', 'submit': True})
        serving.join()
        end = time.perf_counter()
        assert namespace['x'] == 0
        heard.append(at - start)
        probed.append(middle - begin)
        ended.append(end - middle)
        whole.append(end - begin + at - start)
    print('| step, ms | p50 | p95 | p99 | most |\n|---|---|---|---|---|')
    quantiles('crash until the agent hears of it', heard)
    quantiles('probe, there and back', probed)
    quantiles('submission until the program goes on', ended)
    quantiles('pause as a whole', whole)


def at_once(server, count):
    results, lock = {}, threading.Lock()
    start = time.perf_counter()

    def run(n):
        namespace = {'n': n}
        execution = server.execution()
        crash = execution.crash(namespace)[1]['crash']
        state = execution.serve(crash, namespace)
        with lock:
            results[n] = state, namespace.get('m')
    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    agent = server.agent()
    while True:
        found = agent.get('/v1/agent/crashes?state=paused')[1]['crashes']
        if len(found) == count:
            break
        time.sleep(0.01)
    paused = time.perf_counter()

    def heal(crashes):
        side = server.agent()
        for crash in crashes:
            path = '/v1/agent/crashes/%s/execute' % crash['crash']
            assert side.post(path, {'code': 'n', 'submit': False})[0] == 200
            assert side.post(path, {'code': 'm = n + 1', 'submit': True})[0] == 200
    agents = [threading.Thread(target=heal, args=(found[i::8],)) for i in range(8)]
    for thread in agents:
        thread.start()
    for thread in agents + threads:
        thread.join()
    done = time.perf_counter()
    lost = [n for n in range(count) if results.get(n) != ('resumed', n + 1)]
    print('%d executions: all paused after %.2f s, all healed after %.2f s more, %d lost'
          % (count, paused - start, done - paused, len(lost)))
    return not lost


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with Server() as server:
        one_by_one(server, rounds)
        fine = at_once(server, 100)
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())
