def f():
    global x
    x = g()
