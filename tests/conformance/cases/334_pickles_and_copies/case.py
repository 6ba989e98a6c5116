import copy
import pickle
import functools


def function(x):
    return x + 1


class A:
    class Inner:
        value = 1

    def __init__(self, x):
        self.x = x

    def method(self):
        return self.x

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)


class Slotted:
    __slots__ = ('a', 'b')

    def __getstate__(self):
        return {'a': self.a}

    def __setstate__(self, state):
        self.a = state['a']
        self.b = 'restored'


class Error(Exception):
    def __init__(self, code, text):
        super().__init__(code, text)
        self.code = code


def generator():
    yield 1


def trip(x):
    return [pickle.loads(pickle.dumps(x, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)]


print(all(f is function for f in trip(function)), all(c is A.Inner for c in trip(A.Inner)[2:]))
print(all(a == A(1) for a in trip(A(1))), trip(A(5).method)[-1]())
s = Slotted()
s.a, s.b = 1, 2
print([(x.a, x.b) for x in trip(s)] == [(1, 'restored')] * len(trip(s)), copy.copy(s).b)
try:
    raise Error(3, 'text')
except Error as e:
    again = trip(e)[-1]
    print(again.code, again.args, again.__traceback__, copy.copy(e).args)
loop = []
loop.append(loop)
print(trip(loop)[-1][0][0][0] is not None, copy.deepcopy(loop)[0] is not loop)
print(trip(functools.partial(function, 2))[-1](), copy.deepcopy(function) is function)
for thing in (generator(), lambda: 1, (x for x in ())):
    for act in (pickle.dumps, copy.copy):
        try:
            print(act(thing) is thing)
        except Exception as e:
            print(type(e).__name__)


def local():
    class L:
        pass

    def f():
        pass
    for thing in (L, f, L()):
        try:
            pickle.dumps(thing)
        except Exception as e:
            print(type(e).__name__)


local()
