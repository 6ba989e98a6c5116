def f():
    for x in y:
        if x:
            while z():
                g()
    return x
