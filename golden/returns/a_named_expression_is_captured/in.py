def f(x):
    return (y := g(x))
