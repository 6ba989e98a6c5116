def f[T = int](x: T): return g(x)
