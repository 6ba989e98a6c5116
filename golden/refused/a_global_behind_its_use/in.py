def f():
    x = 1
    global x
    x = g()
