"""Module."""


class C:
    """Class."""

    def m(self):
        """Method."""
        return f()
