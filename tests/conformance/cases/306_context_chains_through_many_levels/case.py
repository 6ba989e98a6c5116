def show(e, depth=0):
    seen = 0
    while e is not None and seen < 12:
        frames = 0
        tb = e.__traceback__
        names = []
        while tb is not None:
            names.append(tb.tb_frame.f_code.co_name)
            tb = tb.tb_next
        print('  ' * depth, type(e).__name__, e.args, 'cause', type(e.__cause__).__name__,
              'suppress', e.__suppress_context__, names)
        if e.__cause__ is not None:
            show(e.__cause__, depth + 1)
        e = e.__context__
        seen += 1


def a():
    raise KeyError('a')


def b():
    try:
        a()
    except KeyError:
        if True:
            for x in [1]:
                while x:
                    with_it = x
                    raise ValueError('b')


def c():
    try:
        b()
    except ValueError as e:
        try:
            raise IndexError('c') from e
        finally:
            try:
                a()
            except KeyError:
                pass


def d():
    try:
        c()
    except IndexError:
        raise OSError('d') from None


def e():
    try:
        d()
    finally:
        raise TypeError('e')


def f():
    try:
        e()
    except TypeError as err:
        err.__context__ = None
        raise err


def g():
    try:
        f()
    except TypeError as err:
        saved = err
    try:
        raise saved
    except TypeError:
        raise


for function in (a, b, c, d, e, f, g):
    print(function.__name__)
    try:
        function()
    except Exception as error:
        show(error)
