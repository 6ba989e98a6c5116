async def f(x):
    yield g(x)
    if x:
        return
    h(x)
