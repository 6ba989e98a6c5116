import gc
import sys
import weakref


class S:
    __slots__ = ('a', '__weakref__')


class T(S):
    __slots__ = ()


def make():
    s = S()
    return s


def through(x):
    return x


def deep(x):
    y = through(x)
    z = y
    return z


def tuple_of(x):
    return x, x


def raised():
    x = S()
    ref = weakref.ref(x)
    try:
        raise ValueError(x)
    except ValueError:
        pass
    del x
    return ref


try:
    S().b = 1
except AttributeError:
    print('no b')
o = make()
print(sys.getrefcount(o), sys.getrefcount(make()), sys.getrefcount(through(o)), sys.getrefcount(deep(o)))
ref = weakref.ref(o, lambda r: print('died'))
t = tuple_of(o)
print(sys.getrefcount(o), ref() is o)
del t
del o
print(ref())
print(raised()() is None, weakref.ref(make())() is None)
print(gc.is_tracked(()), gc.is_tracked([]), gc.is_tracked(tuple_of(1)))
d = weakref.WeakValueDictionary()
d['x'] = make()
print(len(d))
kept = make()
d['y'] = kept
print(len(d))
del kept
print(len(d))


def loop():
    refs = []
    for i in range(3):
        x = S()
        refs.append(weakref.ref(x))
    alive = [r() is not None for r in refs]
    del x
    return alive, [r() is not None for r in refs]


print(loop())


class Node:
    def __init__(self):
        self.me = self


n = weakref.ref(Node())
print(n() is not None, gc.collect() > 0, n() is None)


def keeps_error():
    try:
        return missing
    except NameError as e:
        return e


e = keeps_error()
print(sys.getrefcount(e), e.__traceback__.tb_frame.f_code.co_name)


def argument(x):
    return sys.getrefcount(x)


print(argument(S()), argument(object()))
