def text(e):
    return type(e).__name__, str(e), type(e.__cause__).__name__, type(e.__context__).__name__


def direct():
    yield 1
    raise StopIteration('value')


def by_next():
    yield 1
    next(iter([]))
    yield 2


def caught():
    try:
        yield next(iter([]))
    except StopIteration:
        yield 'caught'
    return 'returned'


def delegating():
    result = yield from caught()
    yield result
    result = yield from direct()
    yield result


def in_finally():
    try:
        yield 1
    finally:
        next(iter(()))


def from_with():
    with Manager():
        yield next(iter(()))


class Manager:
    def __enter__(self): return self
    def __exit__(self, *info): return False


for make in (direct, by_next, caught, delegating, in_finally, from_with):
    got = []
    try:
        for x in make():
            got.append(x)
        print(make.__name__, got, 'ended')
    except RuntimeError as e:
        print(make.__name__, got, text(e))


def plain():
    return next(iter([]))


try:
    plain()
except StopIteration as e:
    print('plain', e.args)
print(list(map(lambda f: f(), [lambda: 1, plain, lambda: 2])))
try:
    [plain() for _ in range(2)]
except StopIteration:
    print('comprehension')
g = caught()
print(next(g))
try:
    next(g)
except StopIteration as e:
    print(e.value)
