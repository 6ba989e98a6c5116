def reraise():
    raise


def conditional(flag):
    if flag:
        raise
    return 'passed'


def nested():
    try:
        int('x')
    except ValueError:
        try:
            [][1]
        except IndexError:
            pass
        reraise()


for function in (reraise, nested, lambda: conditional(True)):
    try:
        function()
    except Exception as e:
        print(type(e).__name__, e)
try:
    {}['k']
except KeyError:
    print(conditional(False))
    try:
        conditional(True)
    except KeyError as e:
        print('same', e)


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        try:
            raise
        except ZeroDivisionError as e:
            print('exit', e is value)
        return True


with Manager():
    1 / 0


def gen():
    try:
        yield
    finally:
        raise


g = gen()
next(g)
try:
    g.throw(OSError('thrown'))
except OSError as e:
    print(repr(e))
g = gen()
next(g)
try:
    g.close()
except BaseException as e:
    print(repr(e))
