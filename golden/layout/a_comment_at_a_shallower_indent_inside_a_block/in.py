def f():
    a()
# not indented
    b()
        # too far
    return c()
