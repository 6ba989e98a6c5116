from traceback import extract_stack as lines


class C:
    def f(self):
        def g():
            return lines(limit=2)
        return g()

    def h(self):
        return self.f()


FIRST = lines()
