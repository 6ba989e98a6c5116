def f(x):
    if x:
        return g(x)
    return (yield x)
