def f(x):
    try:
        g()
    finally:
        return h(x)
