from numba import njit as fast


class C:
    @staticmethod
    @fast
    def f(x):
        return x + 1
