"""The program's own timer stands still while it is paused, and goes on after it."""
#! stdout 1
#! stdout rang
#? crash KeyError here
#? probe nap() -> value None
#? probe nap() -> value None
#? heal x = 1 -> resumed
import signal
import time


def nap():
    time.sleep(0.5)


def ring(*_):
    raise TimeoutError


def here(table):
    x = table['b']  # here
    return x


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.8)
try:
    print(here({}))
    time.sleep(5)
except TimeoutError:
    print('rang')
assert signal.getsignal(signal.SIGALRM) is ring
