import sys


def text(e):
    return '%s: %s' % (type(e).__name__, e)


def attempt(function):
    try:
        return function()
    except NameError as e:
        return text(e)


def unbound():
    return later
    later = 1


def deleted():
    x = 1
    del x
    return x


def deleted_twice():
    x = 1
    del x
    del x


def in_loop():
    seen = []
    for x in range(3):
        seen.append(x)
        del x
    return x


def exception_name():
    try:
        1 / 0
    except ZeroDivisionError as e:
        pass
    return e


def exception_name_deleted():
    try:
        1 / 0
    except ZeroDivisionError as e:
        del e
    return 'fine'


def cell():
    x = 1

    def inner():
        return x
    del x
    return inner()


def conditional(flag=False):
    if flag:
        value = 1
    return value


def augmented():
    counter += 1


def with_name():
    with missing_manager() as m:
        return m


def global_gone():
    global g
    g = 1
    del g
    return g


def comprehension():
    return [y for _ in range(1)]


def nested_class():
    class C:
        a = 1
        b = [a for _ in range(1)]
    return C


for function in (unbound, deleted, deleted_twice, in_loop, exception_name, exception_name_deleted, cell,
                 conditional, augmented, with_name, global_gone, comprehension, nested_class):
    result = attempt(function)
    if sys.version_info >= (3, 11):
        result = result.replace('cannot access local variable', 'local variable') \
            .replace(' where it is not associated with a value', ' referenced before assignment') \
            .replace('cannot access free variable', 'free variable')
    print(function.__name__, result.split(' in enclosing')[0])
x = 1
del x
try:
    x
except NameError as e:
    print(e)
try:
    del x
except NameError as e:
    print(e)


class D:
    x = 1
    del x
    try:
        x
    except NameError as e:
        message = str(e)


print(D.message, hasattr(D, 'x'))
