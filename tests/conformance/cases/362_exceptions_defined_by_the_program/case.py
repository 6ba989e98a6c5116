import abc


class Falsy(Exception):
    def __bool__(self): raise TypeError('bool')
    def __eq__(self, other): raise TypeError('eq')
    __hash__ = None
    def __str__(self): raise TypeError('str')
    def __repr__(self): return 'Falsy'


class Liar(Exception):
    @property
    def __class__(self): return KeyError


class Getattr(Exception):
    def __getattribute__(self, name):
        log.append(name)
        return Exception.__getattribute__(self, name)


class New(Exception):
    def __new__(cls, *args):
        return ValueError(*args)


class Empty(Exception):
    def __init__(self): pass


class Virtual(Exception, metaclass=abc.ABCMeta): pass


Virtual.register(KeyError)
log = []


def raising(e):
    for i in range(1):
        if True:
            raise e


for make in (Falsy, Liar, Getattr, lambda: New('x'), Empty, New):
    try:
        raising(make() if make is not New else New)
    except KeyError as e:
        print('KeyError', type(e).__name__)
    except Exception as e:
        print(type(e).__name__)
print(log)
for bad in (1, 'text', None, int, object()):
    try:
        raising(bad)
    except TypeError as e:
        print(e)
try:
    try:
        {}['x']
    except Virtual:
        print('virtual')
except KeyError:
    print('not caught by a virtual base')
for handler in (1, 'x', (ValueError, 1), (ValueError, (KeyError, (OSError,)))):
    try:
        try:
            {}['x']
        except handler:
            print('caught')
    except Exception as e:
        print(type(e).__name__, type(e.__context__).__name__)


class Exc(BaseException): pass


try:
    try:
        raise Exc
    except Exception:
        print('no')
    finally:
        print('finally')
except Exc:
    print('Exc')
