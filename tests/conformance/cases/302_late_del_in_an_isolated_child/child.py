import builtins
import os
import sys


class Late:
    def __del__(self, write=os.write):
        try:
            fail()
        except ZeroDivisionError:
            write(1, b'handled\n')


def fail():
    1 / 0


keep = Late()
builtins.keep = Late()
sys.keep = Late()
try:
    fail()
except ZeroDivisionError as e:
    print(type(e).__name__, flush=True)
