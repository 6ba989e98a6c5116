import sys


def now():
    kind, value, tb = sys.exc_info()
    return kind and kind.__name__, str(value)


def again():
    try:
        raise KeyError('inner')
    except KeyError:
        print('inner', now())
    return now()


def nested():
    print('start', now())
    try:
        1 / 0
    except ZeroDivisionError:
        print('one', now())
        print('helper', again())
        try:
            int('x')
        except ValueError:
            print('two', now())
            for i in range(2):
                try:
                    [][i]
                except IndexError:
                    print('three', now())
                    continue
                finally:
                    print('finally', now())
            print('two again', now())
        else:
            print('never')
        print('one again', now())
    print('after', now())
    try:
        try:
            raise OSError('a')
        finally:
            print('passing', now())
    except OSError:
        pass
    print('end', now())


def gen():
    print('gen', now())
    try:
        yield 1
    except ValueError:
        print('thrown', now())
        yield 2
        print('still', now())
    print('gone', now())


nested()
print(now())
g = gen()
try:
    raise TypeError('outside')
except TypeError:
    next(g)
    print(now())
    g.throw(ValueError('in'))
    print(now())
    next(g, None)
    print(now())


def suspended():
    try:
        raise LookupError('own')
    except LookupError:
        yield now()
        yield now()


try:
    raise TypeError('other')
except TypeError:
    g = suspended()
    print(next(g), now())
print(next(g), now())
print([now() for _ in range(1)], (lambda: now())())
