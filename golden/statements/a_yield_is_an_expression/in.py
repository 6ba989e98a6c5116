def f():
    yield 1
    x = yield
    yield from g()
