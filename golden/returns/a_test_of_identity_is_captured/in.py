def f(x):
    return x is None
