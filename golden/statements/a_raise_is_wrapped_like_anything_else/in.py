def f():
    raise ValueError(1) from None
