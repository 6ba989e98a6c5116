"""Several threads and processes, paused at once."""
#! stdout [0, 1, 2, 3, 4, 5, 6, 7]
#! stdout child 5
#! stdout parent 0
#? crash KeyError worker
#? each
#? heal value = number -> resumed
import os
import sys
import threading

results = []
if os.environ.get('EH_CHILD') is None:
    def work(number, table):
        value = table['missing']  # worker
        results.append(value)

    threads = [threading.Thread(target=work, args=(i, {})) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(results), flush=True)
    pid = os.fork()
    if pid == 0:
        results.clear()
        work(5, {})
        print('child', *results, flush=True)
        os._exit(0)
    print('parent', os.waitpid(pid, 0)[1], flush=True)
