def f():
    return LIMIT
