def f():
    a()

        b()

def g():
    if a:
            c()
