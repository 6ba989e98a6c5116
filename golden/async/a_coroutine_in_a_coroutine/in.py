async def f():
    async def g():
        await h()
    return await g()
