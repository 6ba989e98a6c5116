class A:
    def f(self):
        class B:
            x = g()

            def h(self):
                return self.x
        return B
