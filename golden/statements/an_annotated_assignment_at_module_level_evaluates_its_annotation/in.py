x: f() = 1
y: int
