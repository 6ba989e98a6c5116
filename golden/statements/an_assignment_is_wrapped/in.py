x = f(1)
a = b = f(2)
a.b = c[0] = 1
