def f():
    def g():
        yield 1
        return h()
    yield from g()
    return i()
