from numba.experimental import jitclass


@jitclass([("x", int)])
class C:
    def __init__(self, x):
        self.x = x
