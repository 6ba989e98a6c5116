def f():
    x = y = 1
    return x
