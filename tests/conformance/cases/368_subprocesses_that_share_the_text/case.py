import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, 'part.py')) as file:
    text = file.read()


def run(command, data=None):
    child = subprocess.Popen([sys.executable] + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, cwd='/', env={})
    out, err = child.communicate(data)
    print(child.returncode, out.decode().split(), err.decode().splitlines()[-1:])


run(['-'], text.encode())
run([], text.encode())
run(['-c', text])
run(['-I', '-c', text])
run(['-c', 'exec(%r)' % text])
run(['-c', 'import code; code.InteractiveInterpreter().runsource(%r, "x", "exec")' % text])
run(['-c', 'import sys; exec(sys.stdin.read(), {"__name__": "other"}, {})'], text.encode())
run(['-c', 'import timeit; timeit.timeit(%r, number=1)' % text])
