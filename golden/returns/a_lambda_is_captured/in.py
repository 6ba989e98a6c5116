def f(x):
    return lambda: (yield x)
