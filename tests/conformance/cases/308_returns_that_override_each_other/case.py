log = []


def note(x):
    log.append(x)
    return x


def a():
    try:
        return note(1)
    finally:
        return note(2)


def b():
    for i in range(3):
        try:
            return note(i)
        finally:
            if i < 2:
                break
    return 'broken'


def c():
    while True:
        try:
            try:
                return note('in')
            finally:
                1 / 0
        except ZeroDivisionError:
            return note('out')
        finally:
            note('last')


def d():
    try:
        raise ValueError
    except ValueError:
        return note('except')
    else:
        return note('else')
    finally:
        note('finally')


def e():
    try:
        pass
    except ValueError:
        return 1
    else:
        return note('else')
    finally:
        note('finally')


def f():
    for i in range(2):
        try:
            try:
                raise KeyError(i)
            finally:
                break
        except KeyError:
            return 'not here'
    else:
        return 'nor here'
    return i


def g():
    x = [1]
    try:
        return x
    finally:
        x.append(2)
        x = None


def h():
    x = 1
    try:
        return x
    finally:
        x = 2


def i():
    try:
        try:
            return note('a')
        finally:
            try:
                return note('b')
            finally:
                return note('c')
    finally:
        note('d')


def j():
    while 1:
        try:
            try:
                1 / 0
            finally:
                return 'swallowed'
        finally:
            continue_to = 1


def k():
    def inner():
        try:
            return 'inner'
        finally:
            note('inner finally')
    try:
        return inner() + note('!')
    finally:
        inner()


for function in (a, b, c, d, e, f, g, h, i, j, k):
    print(function.__name__, function(), log)
    del log[:]
