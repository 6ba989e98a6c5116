class C:
    Exception = f()
    BaseException = None

    def m(self, Exception):
        return g(Exception)
