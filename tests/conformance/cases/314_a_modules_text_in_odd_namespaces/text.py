def f(x):
    return x + 1


try:
    result = int('x')
except ValueError:
    result = f(1)
