def f[T: (int, str), *Ts, **P](x: T) -> T:
    return g(x)


class C[T](B):
    x = h()
