for x in f():
    g(x)
else:
    h()
