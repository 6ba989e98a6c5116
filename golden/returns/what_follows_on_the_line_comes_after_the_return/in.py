def f(x):
    return x; g()
