import traceback


def fail(*args, **kw):
    raise ValueError('fail')


def show(f):
    try:
        f()
    except Exception:
        traceback.print_exc()


def semicolons():
    a = 1; b = 2; fail(a); c = 3


def one_line():
    if fail: fail(1)


def one_line_else():
    if not fail: pass
    else: x = 1; fail(x)


def multi_line():
    return fail(
        1,
        2,
    )


def multi_line_arguments():
    x = [1,
         fail(2),
         3]
    return x


def header_if():
    if (1 and
            fail(2)):
        pass


def header_for():
    for x in fail(
            1):
        pass


def header_with():
    with open('/dev/null') as a, \
            fail() as b:
        pass


def header_while():
    while fail(): pass


def backslash():
    x = 1 + \
        fail(2)


def assertion():
    assert 1 == 2, \
        'message %s' % 1


def raising():
    raise KeyError(
        'key'
    ) from ValueError(1)


def chained():
    try:
        fail()
    except ValueError:
        [].index(1)


def nested():
    for i in range(2):
        if i:
            while True:
                try:
                    with open('/dev/null'):
                        fail(i)
                finally:
                    x = 1


def comprehension():
    return [fail(x)
            for x in range(1)]


def lambda_body():
    return (lambda: fail(1))()


def string():
    return fail('''one
two''')


def call_chain():
    return (str(1)
            .upper()
            .missing()
            .lower())


def binary():
    x, y = 1, 0
    return x + 1 + x / y + 2


def subscript():
    d = {'a': {'b': None}}
    return d['a']['b']['c']


def class_body():
    class C:
        x = fail(1)


def decorated():
    @fail
    def f():
        pass


def default():
    def f(a, b=fail()): pass


def f_string():
    return f'{1} {fail(2)} {3}'


def augmented():
    x = [1]
    x[0] += fail(1)


def delete():
    d = {}
    del d['a']


def unpack():
    a, b = 1, 2, 3


def deep(n):
    if n: return deep(n - 1)
    fail(n)


for f in (semicolons, one_line, one_line_else, multi_line, multi_line_arguments, header_if, header_for, header_with,
          header_while, backslash, assertion, raising, chained, nested, comprehension, lambda_body, string, call_chain,
          binary, subscript, class_body, decorated, default, f_string, augmented, delete, unpack, lambda: deep(8)):
    show(f)
x = 1; fail(x)
