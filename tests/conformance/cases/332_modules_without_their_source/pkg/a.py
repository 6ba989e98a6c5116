"""Module."""


def f(x):
    try:
        return x + 1
    except TypeError:
        raise RuntimeError('bad ' + x)


if __name__ == '__main__':
    print('run', f(2))
