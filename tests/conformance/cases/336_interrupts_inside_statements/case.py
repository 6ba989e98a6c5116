import os
import signal
import sys
import time


class Alarm(Exception):
    pass


def handler(number, frame):
    raise Alarm(number == signal.SIGALRM)


signal.signal(signal.SIGALRM, handler)


class Guard:
    entered = left = 0

    def __enter__(self):
        Guard.entered += 1

    def __exit__(self, *info):
        Guard.left += 1


def busy():
    n = 0
    while True:
        try:
            n += 1
            if n % 7 == 0:
                continue
        except ValueError:
            pass
    return n


def interrupted(function):
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        function()
    except Alarm as e:
        return 'alarm', e.args, e.__context__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def sleeping():
    with Guard():
        time.sleep(10)


def in_handler():
    try:
        1 / 0
    except ZeroDivisionError:
        while True:
            pass


print(interrupted(busy), interrupted(sleeping), Guard.entered, Guard.left)
kind, args, context = interrupted(in_handler)
print(kind, args, type(context).__name__)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt as e:
    print('interrupt', e.args)


def generator():
    try:
        yield 1
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        yield 2
    except KeyboardInterrupt:
        yield 'interrupted'


print(list(generator()))
signal.signal(signal.SIGINT, lambda *a: print('handled'))
os.kill(os.getpid(), signal.SIGINT)
sys.stdout.flush()
signal.signal(signal.SIGINT, signal.default_int_handler)
os.kill(os.getpid(), signal.SIGINT)
time.sleep(1)
