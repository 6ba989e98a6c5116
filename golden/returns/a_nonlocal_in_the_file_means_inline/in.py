def f():
    x = 0
    def g():
        nonlocal x
        x = h()
    return x
