def f(self):
    x = self.x = None
