def f(a, a):
    return g()
