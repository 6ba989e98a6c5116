def f():
    def g(x, *args, **kw):
        if args:
            return args
        return kw
    return g
