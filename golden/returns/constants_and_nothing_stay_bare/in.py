def f(x):
    if x:
        return
    if g():
        return None
    return "a", 1
