def f():
    pass
    ...
    1
    "text"
    return
