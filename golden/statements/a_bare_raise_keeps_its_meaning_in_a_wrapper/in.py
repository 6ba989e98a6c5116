def f():
    try:
        g()
    except Exception:
        raise
