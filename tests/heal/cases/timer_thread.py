"""A timer thread that watches over tests goes on, and is warned about."""
#! stderr a timer thread of pytest_timeout goes on while the program is paused
#? crash KeyError here
#? context a timer thread of pytest_timeout
#? heal x = 1 -> resumed
import threading


def kill():
    raise AssertionError


def here(table):
    x = table['b']  # here
    return x


kill.__module__ = 'pytest_timeout'
timer = threading.Timer(60, kill)
timer.start()
assert here({}) == 1
timer.cancel()
print('ok')
