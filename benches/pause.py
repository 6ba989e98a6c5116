"""What a pause costs without the thinking: python3.11 benches/pause.py [ROUNDS] [PYTHON ...]

An instrumented program crashes again and again; an agent that waits hears of it, probes and submits,
and the program goes on. All on loopback, with the built binary ($HEALC, or target/release/healc): the
time is the program's, from the statement that fails to the one after it. Then 100 threads of 10
processes are paused at once, each probed and healed by 8 agents.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'serve'))
from side import HEALC, Server

PROGRAM = '''
import json, sys, threading, time

def look(table, n):
    m = table['missing']
    return m

def timed(n):
    start = time.perf_counter()
    look({}, n)
    return time.perf_counter() - start

if sys.argv[1] == 'times':
    print(json.dumps([timed(n) for n in range(int(sys.argv[2]))]))
else:
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(look({}, n) == n + 1)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(found))
'''


def start(server, python, overlay, *arguments):
    env = dict(os.environ, **server.environment)
    return subprocess.Popen([python, os.path.join(overlay, 'program.py'), *arguments], env=env, text=True,
                            stdout=subprocess.PIPE)


def quantiles(name, seconds):
    ms = sorted(s * 1000 for s in seconds)
    print('| %s | %.2f | %.2f | %.2f | %.2f |' % (
        name, statistics.median(ms), ms[int(len(ms) * .95)], ms[int(len(ms) * .99)], ms[-1]), flush=True)


def heal(agent, crash):
    path = '/v1/agent/crashes/%s/execute' % crash['crash']
    assert agent.post(path, {'code': 'sorted(table)', 'submit': False})[0] == 200
    assert agent.post(path, {'code': 'm = n + 1', 'submit': True})[1]['state'] == 'resumed'


def one_by_one(server, rounds, python, overlay):
    process, agent, last = start(server, python, overlay, 'times', str(rounds)), server.agent(), one_by_one.last
    for _ in range(rounds):
        found = agent.get('/v1/agent/crashes?state=paused&wait=30&after=%d' % last)[1]['crashes']
        last = found[0]['order']
        heal(agent, found[0])
    one_by_one.last = last
    version = subprocess.run([python, '-V'], capture_output=True, text=True).stdout.strip()
    quantiles(version, json.loads(process.communicate()[0])[rounds // 10:])


one_by_one.last = 0


def at_once(server, python, overlay):
    began = time.perf_counter()
    processes = [start(server, python, overlay, 'threads') for _ in range(10)]
    agent = server.agent()
    while True:
        found = agent.get('/v1/agent/crashes?state=paused')[1]['crashes']
        if len(found) == 100:
            break
        time.sleep(0.01)
    paused = time.perf_counter()

    def some(crashes):
        side = server.agent()
        for crash in crashes:
            heal(side, crash)
    agents = [threading.Thread(target=some, args=(found[i::8],)) for i in range(8)]
    for thread in agents:
        thread.start()
    for thread in agents:
        thread.join()
    healed = [fine for process in processes for fine in json.loads(process.communicate()[0])]
    print('100 executions: all paused after %.2f s, all healed after %.2f s more, %d lost'
          % (paused - began, time.perf_counter() - paused, 100 - healed.count(True)))
    return healed.count(True) == 100


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'source'))
        with open(os.path.join(folder, 'source', 'program.py'), 'w') as file:
            file.write(PROGRAM)
        overlay = os.path.join(folder, 'overlay')
        subprocess.run([HEALC, 'instrument', os.path.join(folder, 'source'), '-o', overlay, '-q'], check=True)
        print('| pause with one probe and one submission, ms | p50 | p95 | p99 | most |\n|---|---|---|---|---|')
        for python in sys.argv[2:] or [sys.executable]:
            one_by_one(server, rounds, python, overlay)
        fine = at_once(server, (sys.argv[2:] or [sys.executable])[-1], overlay)
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())
