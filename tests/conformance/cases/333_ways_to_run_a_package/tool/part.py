def name():
    return __name__


def fail():
    raise LookupError(name())


try:
    fail()
except LookupError as e:
    result = str(e)
if __name__ == '__main__':
    fail()
