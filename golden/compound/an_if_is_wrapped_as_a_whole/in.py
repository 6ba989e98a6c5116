if f():
    g()
