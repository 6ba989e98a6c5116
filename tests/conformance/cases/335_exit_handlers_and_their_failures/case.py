import atexit
import os
import sys


def say(*what):
    os.write(1, (' '.join(map(str, what)) + '\n').encode())


@atexit.register
def first():
    say('first', sys.exc_info()[0])


def failing():
    say('failing')
    try:
        {}['x']
    except KeyError as e:
        raise ValueError('at exit') from e


def registering():
    say('registering')
    atexit.register(say, 'registered late')


def unregistered():
    say('never')


atexit.register(failing)
atexit.register(registering)
atexit.register(unregistered)
atexit.unregister(unregistered)
atexit.register(lambda: say('lambda', [x for x in range(2)]))
try:
    1 / 0
except ZeroDivisionError:
    atexit.register(say, 'in handler')
    sys.exit(3)
finally:
    say('finally')
