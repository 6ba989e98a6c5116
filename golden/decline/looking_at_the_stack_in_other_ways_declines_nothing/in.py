import traceback


def f():
    traceback.print_stack()
