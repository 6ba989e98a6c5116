def clean(names):
    return sorted(n for n in names if not n.startswith('__'))


def plain(a, b=2, *args, c=3, **kw):
    d = a
    for e in range(1):
        pass
    return clean(locals()), clean(vars()), clean(dir())


def before_and_after():
    first = clean(locals())
    x = 1
    second = clean(locals())
    del x
    return first, second, clean(locals())


def in_finally():
    seen = []
    try:
        return seen
    finally:
        seen.append(clean(locals()))


def in_handler():
    try:
        1 / 0
    except ZeroDivisionError as error:
        return clean(locals())


def closure():
    free = 1

    def inner():
        own = free
        return clean(locals()), clean(dir())
    return inner()


def generator():
    x = yield clean(locals())
    yield clean(locals())


class Body:
    a = 1
    names = clean(locals())
    more = clean(dir())
    if a:
        inside = clean(vars())


print(plain(1), before_and_after(), in_finally(), in_handler(), closure())
g = generator()
print(next(g), next(g))
print(Body.names, Body.more, Body.inside)
print(clean(dir()), clean(vars()) == clean(locals()))
space = {}
exec('x = 1\nnames = sorted(n for n in dir() if n[0] != "_")', space)
print(space['names'])
print(eval('sorted(locals())', {}, {'q': 1}))
print((lambda z: clean(locals()))(1))
