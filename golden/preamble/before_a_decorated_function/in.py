# comment
@a
# between
@b
def f():
    return g()
