async def f(x):
    return x
