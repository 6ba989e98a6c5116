for x in f():
    pass
