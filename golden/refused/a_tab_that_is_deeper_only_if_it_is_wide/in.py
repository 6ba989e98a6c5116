def f():
    if a:
	b()
    return c()
