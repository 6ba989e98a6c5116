import taichi as ti


@ti.kernel
def f():
    def g():
        return h()
    class C:
        x = i()
    g()
