"""Doc of other."""
import os


def f(x):
    """Doc of f."""
    for i in range(x):
        try:
            return i
        except ValueError:
            pass


class C:
    def g(self):
        """Doc of g."""
        return os
