if f():
    def g(x):
        return x

    @h
    class C:
        def m(self):
            return self.a
else:
    g = None
