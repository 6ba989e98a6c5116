def f(x):
    def g():
        yield 1
    return x
