import sys


def names(function):
    code = function.__code__
    print(function.__name__, code.co_varnames, code.co_nlocals, code.co_argcount, code.co_freevars, code.co_cellvars)


def seen():
    frame = sys._getframe(1)
    print(sorted(frame.f_locals), frame.f_code.co_varnames)


def arguments(function):
    code = function.__code__
    function.names = code.co_varnames
    print(function.names)
    return function
