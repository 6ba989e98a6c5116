def f(x):
    a = 1; return g(x) + x


def g(x):
    if x: return x / 0


f(1)
