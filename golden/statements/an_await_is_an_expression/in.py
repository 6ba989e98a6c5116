async def f():
    await g()
    x = await h()
