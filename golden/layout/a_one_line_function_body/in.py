def f(x): return g(x)
async def h(x): await x
