first = something


def f(x):
    try:
        return int(x)
    except ValueError:
        return 'bad'


second = f('x')
try:
    third = int(first)
except ValueError:
    third = 'bad'
