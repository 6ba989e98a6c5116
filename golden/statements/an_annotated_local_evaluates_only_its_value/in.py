def g():
    x: f() = 1
    y: int
    z: int = h()
    a.b: f()
