import sys
import traceback

sys.setrecursionlimit(200)


def f(n):
    if n: return f(n - 1)
    raise ValueError(n)


def endless():
    return endless()


for call in (lambda: f(10), endless):
    try:
        call()
    except Exception:
        traceback.print_exc(limit=8)
traceback.print_stack()
f(50)
