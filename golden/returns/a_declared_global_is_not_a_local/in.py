def f():
    global x
    x = g()
    return x
