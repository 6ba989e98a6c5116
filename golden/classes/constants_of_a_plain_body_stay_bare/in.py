class C:
    x = 1
    z = (2, ())
