def f(): return g()
def h():
    return f()
class C:
    def m(self): return h()
