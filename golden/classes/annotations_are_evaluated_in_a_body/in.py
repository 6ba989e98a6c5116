class C:
    x: int
    y: f() = 1
