def f(x):
    try:
        return x
    finally:
        print(locals())
