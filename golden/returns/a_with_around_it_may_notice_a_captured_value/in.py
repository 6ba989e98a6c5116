def f(x):
    with g():
        return x
