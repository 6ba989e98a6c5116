async def f(x):
    return await g(x)
