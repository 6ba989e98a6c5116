first = something
try:
    second = int(first)
except ValueError:
    second = 'bad'


def f():
    try:
        return int('x')
    except ValueError:
        return 'bad'


third = f()
