import inspect


def f(x):
    return x
