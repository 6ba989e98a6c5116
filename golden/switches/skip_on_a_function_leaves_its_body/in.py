@x
def f():  # healc: skip
    return g()


def h():
    return i()
