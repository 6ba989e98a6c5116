from helper import names, seen, arguments


def add(a, b):
    c = a + b
    return c


@arguments
def flag(x, y=None):
    result = x is y
    return result


def caller(value):
    text = str(value)
    names(caller)
    seen()
    return text


names(add)
names(flag)
print(caller(1), add(1, 2), flag(1))
