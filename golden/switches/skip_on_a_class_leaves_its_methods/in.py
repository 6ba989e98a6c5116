class C:  # healc: skip
    x = f()

    def m(self):
        return g()
