import sys

depth = 0


def plain():
    global depth
    depth += 1
    try:
        plain()
    finally:
        depth += 0


def count(function, *args):
    global depth
    depth = 0
    try:
        function(*args)
    except RecursionError as e:
        return depth, type(e.__context__).__name__, type(e.__cause__).__name__
    return 'none'


class C:
    def __getattr__(self, name):
        global depth
        depth += 1
        return getattr(self, name + 'x')

    def __repr__(self):
        global depth
        depth += 1
        return 'C(%r)' % (self,)


def gen():
    global depth
    depth += 1
    for x in gen():
        yield x


def handled(n):
    global depth
    depth += 1
    try:
        return handled(n + 1)
    except RecursionError:
        return n


def mutual(n):
    if n == 0:
        return 0
    for _ in [0]:
        while True:
            return other(n - 1)


def other(n):
    with open('/dev/null'):
        pass
    return mutual(n)


sys.setrecursionlimit(150)
print(count(plain), count(lambda: C().x)[1:], count(lambda: repr(C()))[1:], count(lambda: list(gen()))[1:])
print(count(lambda: handled(0)), mutual(30))
