class C:
    __slots__ = ("a", "b")
    __doc__ = f()
    __module__ = "m"
