def f():
    x = yield 1
    x += yield
    y = yield from g()
    print((yield))
    return (yield x)
