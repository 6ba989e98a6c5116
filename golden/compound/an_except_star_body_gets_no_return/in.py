def f():
    try:
        a()
    except* B as e:
        c(e)
    return d()
