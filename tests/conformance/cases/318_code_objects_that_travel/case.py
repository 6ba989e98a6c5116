import marshal
import subprocess
import sys


def work(items):
    total = 0
    for item in items:
        try:
            total += int(item)
        except ValueError:
            total -= 1
    return total


def fail(items):
    return items[10]


receiver = r'''
import marshal, sys, types
for code in marshal.loads(sys.stdin.buffer.read()):
    try:
        print(types.FunctionType(code, globals())(['1', 'x', '3']))
    except Exception as e:
        print(type(e).__name__, e)
'''
data = marshal.dumps([work.__code__, fail.__code__])
for flags in ([], ['-I']):
    child = subprocess.Popen([sys.executable] + flags + ['-c', receiver], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    print(child.communicate(data)[0].decode())
