counter = 0


def docstring():
    """Doc."""
    global counter
    counter += 1
    return counter


def in_block(flag):
    if flag:
        global made
        made = 'made'
    else:
        made = 'other'
    return made


def outer():
    x = y = 0

    def middle():
        nonlocal x

        def inner():
            nonlocal x, y
            x += 1
            y -= 1
            return x, y
        x += 10
        return inner()

    class C:
        nonlocal y
        y = 5
        x = 'class'
    return middle(), x, y, C.x


def loop_target():
    global i
    for i in range(3):
        pass
    with open('/dev/null') as f:
        global handle
        handle = f.name
    import os as imported
    global os_name
    os_name = imported.name[0]
    try:
        1 / 0
    except ZeroDivisionError:
        global kept
        kept = 'kept'


class Body:
    global from_class
    from_class = 'from class'
    own = from_class.upper()


print(docstring(), docstring(), docstring.__doc__)
print(in_block(True), made, in_block(False), made)
print(outer())
loop_target()
print(i, handle, os_name, kept, from_class, Body.own, hasattr(Body, 'from_class'))


def shadow():
    def f():
        global counter
        counter = 'set'
    counter = 'local'
    f()
    return counter


print(shadow(), counter)
