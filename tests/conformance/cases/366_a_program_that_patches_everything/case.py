import builtins
import os
import sys
import time
from unittest import mock


def fail(): return {}['x']


def handled():
    try:
        fail()
    except KeyError:
        return 'handled'


class Body:
    try: fail()
    except KeyError: found = True


with mock.patch('builtins.open', side_effect=OSError), mock.patch('os.getcwd', side_effect=OSError), \
        mock.patch('time.time', return_value=0), mock.patch.dict(os.environ, clear=True):
    print(handled())
with mock.patch.object(builtins, 'Exception', int), mock.patch.object(builtins, 'BaseException', str):
    print(handled())
with mock.patch.object(builtins, '__import__', side_effect=ImportError('no')):
    print(handled())
    try:
        import json
    except ImportError as e:
        print(e)
saved = dict(sys.modules)
sys.modules.clear()
print(handled())
sys.modules.update(saved)
saved = builtins.isinstance, builtins.getattr, builtins.setattr, builtins.type
builtins.isinstance = builtins.getattr = builtins.setattr = builtins.type = None
print(handled())


def in_class():
    class C:
        try:
            fail()
        except KeyError:
            x = 1
    return C.x


print(in_class())
builtins.isinstance, builtins.getattr, builtins.setattr, builtins.type = saved
print(Body.found)
sys.stdout.flush()
sys.stderr = None
sys.excepthook = lambda kind, value, tb: os.write(1, kind.__name__.encode() + b'\n')
fail()
