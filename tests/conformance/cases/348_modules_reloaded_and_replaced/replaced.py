import sys


class Fake:
    @property
    def attribute(self):
        try:
            return self.missing
        except AttributeError:
            return __name__


sys.modules[__name__] = Fake()
