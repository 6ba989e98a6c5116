import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
for flags in (['-I'], ['-S'], ['-E'], ['-I', '-S'], ['-O'], ['-B', '-s']):
    done = subprocess.Popen([sys.executable] + flags + [os.path.join(here, 'child.py')], env={},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd='/')
    out, err = done.communicate()
    print(flags, done.returncode, out.decode().split(), err.decode())
