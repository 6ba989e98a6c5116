from mine import jit


@jit
def f(x):
    return x + 1
