class A:
    class B: x = f()
    y = g()
