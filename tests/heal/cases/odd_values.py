"""Representations that raise, hang, recurse or are long; exceptions that cannot be shown."""
#? crash KeyError here
#? context 'angry': '<Angry, repr raises RuntimeError>'
#? context 'slow': '<Slow, repr takes too long>'
#? context 'deep': '<Deep, repr raises RecursionError>'
#? context 'long': '\[0, 1, 2.*…'
#? context 'truncated': \[.*'long'
#? probe loud(1) -> error execution xxxxx
#? probe loud(2) -> error execution raises TimeUp
#? heal x = 1 -> resumed
#? crash Angry exc
#? context 'message': '<str raises RuntimeError>'
#? heal x = 2 -> resumed
import time


class Angry(Exception):
    def __repr__(self):
        raise RuntimeError('no')
    __str__ = __repr__


class Slow:
    def __repr__(self):
        while True:
            pass


class Deep:
    def __repr__(self):
        return repr(self) + '!'


class Hanging(Exception):
    def __str__(self):
        while True:
            pass


def loud(n):
    raise ValueError('x' * 10000000) if n == 1 else Hanging()


def here(table):
    angry, slow, deep, long, text = Angry(), Slow(), Deep(), list(range(100000)), 'x' * 100000
    x = table['b']  # here
    return x


assert here({}) == 1


def exc():
    x = None
    if x is None:
        raise Angry()  # exc
    return x


def outer():
    exc()
    return 2


assert outer() == 2
print('ok')
