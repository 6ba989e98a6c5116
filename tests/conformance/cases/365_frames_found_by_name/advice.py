import sys


def implements(*names):
    frame = sys._getframe(1)
    if frame.f_locals is frame.f_globals or '__module__' not in frame.f_locals:
        raise TypeError('only in a class')
    frame.f_locals['__implements__'] = names


def caller_name():
    return sys._getframe(1).f_code.co_name


def stack():
    names = []
    frame = sys._getframe(1)
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def inject(name, value):
    sys._getframe(1).f_locals[name] = value
