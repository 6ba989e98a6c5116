import a, b, c, d
print(a.f(1), b.f(1), c.f(1), d.f(1), a.f.__doc__)
try:
    c.f('x')
except TypeError as e:
    print(type(e).__name__)
