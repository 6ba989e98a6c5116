class C:    def g(self, x): return x + 4f = C().g
