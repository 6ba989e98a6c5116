import queue
import sys
import threading

lock = threading.Lock()
results = queue.Queue()
local = threading.local()


def work(n):
    local.value = n
    for i in range(200):
        try:
            with lock:
                if i % 3 == n % 3:
                    raise KeyError(n, i)
        except KeyError as e:
            if sys.exc_info()[1] is not e or e.args[0] != local.value:
                results.put(('wrong', n, i))
        finally:
            assert not lock.locked() or True
    results.put(('done', n, sys.exc_info()[0]))


threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results.get() for _ in range(results.qsize())))


def crash():
    raise ValueError('in thread')


t = threading.Thread(target=crash, name='crasher')
t.start()
t.join()
print('alive', t.is_alive(), lock.locked())
event = threading.Event()


def daemon():
    try:
        event.wait()
    finally:
        pass


threading.Thread(target=daemon, daemon=True).start()
print('end')
