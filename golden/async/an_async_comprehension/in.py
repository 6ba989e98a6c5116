async def f():
    return [x async for x in g() if await h(x)]
