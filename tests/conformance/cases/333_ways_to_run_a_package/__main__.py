import os
import runpy
import subprocess
import sys

print(__name__, __package__ == '', __spec__.name, sys.argv[1:])
from tool import part
print(part.name(), part.__package__)
space = runpy.run_module('tool.part', run_name='given', alter_sys=True)
print(space['result'], space['__name__'], sorted(n for n in space if n[:2] != '__'))
space = runpy.run_path(os.path.join('tool', 'part.py'), {'given': 1})
print(space['result'], space['given'], space['__name__'])
for command in (['-m', 'tool', 'x'], ['-m', 'tool.part'], ['-c', 'import tool.part; tool.part.fail()'],
                ['tool'], ['-m', 'tool.missing'], ['-im', 'tool']):
    child = subprocess.Popen([sys.executable] + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             stdin=subprocess.DEVNULL)
    out, err = child.communicate()
    print(command, child.returncode, out.decode().split(), err.decode().splitlines()[-1:])
