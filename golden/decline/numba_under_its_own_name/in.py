import numba


@numba.jit
def f(x):
    return g(x)


def h(x):
    return f(x)
