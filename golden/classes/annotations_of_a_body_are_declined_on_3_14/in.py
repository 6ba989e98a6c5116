class C:
    x: int
    y: int = f()
    z = g()
