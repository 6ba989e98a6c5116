import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
flags = [[], ['-I'], ['-S'], ['-E'], ['-s'], ['-I', '-S', '-B'], ['-OO'], ['-W', 'error'], ['-bb'], ['-X', 'faulthandler']]
if sys.version_info >= (3, 7):
    flags.append(['-X', 'dev'])
if sys.version_info >= (3, 11):
    flags.append(['-P'])
for flag in flags:
    for cwd in (here, '/'):
        child = subprocess.Popen([sys.executable] + flag + [os.path.join(here, 'child.py')], env={}, cwd=cwd,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(flag, child.communicate()[0].decode().strip(), child.returncode)
