from numba import cuda


@cuda.jit
def kernel(x):
    x[0] = 1
