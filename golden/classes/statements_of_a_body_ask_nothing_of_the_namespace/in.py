class C:
    x = f()
    for y in x:
        g(y)
