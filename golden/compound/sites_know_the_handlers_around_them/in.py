def f():
    try:
        try:
            a()
        except (KeyError, b.E):
            c()
    except:
        d()
    finally:
        e()
