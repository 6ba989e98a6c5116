def f():
    with a:
        return b()