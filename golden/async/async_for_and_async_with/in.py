async def f():
    async for x in g():
        h(x)
    else:
        i()
    async with j() as k, l():
        await m(k)
