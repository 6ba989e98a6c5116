import numba as nb


@nb.njit(parallel=True)
def f(x):
    for i in nb.prange(x):
        g(i)
