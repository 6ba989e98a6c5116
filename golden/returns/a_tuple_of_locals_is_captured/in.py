def f(x):
    y = g(x)
    return x, y, not y, x is y
