"""Healing code that fails, prints, calls the program, or never ends."""
#? crash KeyError series
#? heal x = table['c'] -> error execution KeyError: 'c'
#? heal x = helper(0) -> error execution ZeroDivisionError
#? heal x = ( -> error gate
#? probe import os;;os.system('true') -> error gate
#? probe __import__('os') -> error gate
#? probe print('seen') -> stdout seen
#? probe say('heard') -> stdout heard
#? heal x = helper(1) -> resumed
#? crash KeyError series
#? heal x = 2 -> resumed
#? crash KeyError loop
#? probe while True: pass -> error timeout
#? heal while True:;;    try:;;        while True: pass;;    except Exception: pass -> error timeout
#? probe nap() -> error timeout
#? heal x = 3 -> resumed
#? crash KeyError thread
#? probe while True: pass -> error timeout
#? heal x = 4 -> resumed
import threading
import time


def helper(n):
    return 10 // n


def say(text):
    print(text)


def nap():
    time.sleep(30)


def series(table):
    x = table['b']  # series
    return x


assert [series({}), series({})] == [10, 2]


def loop(table):
    x = table['b']  # loop
    return x


start = time.time()
assert loop({}) == 3
assert time.time() - start < 20


def worker(table):
    x = table['b']  # thread
    found.append(x)


found = []
thread = threading.Thread(target=worker, args=({},))
thread.start()
thread.join()
assert found == [4]
print('ok')
