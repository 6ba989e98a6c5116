def f():
    try:
        a()
    except* B:
        return c()
