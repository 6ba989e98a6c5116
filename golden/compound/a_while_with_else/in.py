while f():
    g()
else:
    h()
