def f():
    try:
        with g() as h:
            yield h
    except GeneratorExit:
        i()
        raise
