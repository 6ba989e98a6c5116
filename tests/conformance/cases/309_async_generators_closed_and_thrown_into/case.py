import asyncio


async def agen(name):
    try:
        for i in range(3):
            try:
                got = yield i
                print(name, 'got', got)
            except ValueError as e:
                print(name, 'value', e)
            finally:
                await asyncio.sleep(0)
                print(name, 'inner', i)
    except GeneratorExit:
        print(name, 'exit')
        raise
    finally:
        await asyncio.sleep(0)
        print(name, 'outer')
    if name:
        return
    print('never')


async def broken():
    yield 1
    raise StopAsyncIteration('x')


async def broken2():
    yield 1
    raise StopIteration('y')


async def main():
    a = agen('one')
    print(await a.asend(None), await a.asend('x'))
    await a.aclose()
    a = agen('two')
    print(await a.__anext__())
    print(await a.athrow(ValueError('v')))
    try:
        await a.athrow(KeyError('k'))
    except KeyError as e:
        print(repr(e))
    try:
        await a.__anext__()
    except StopAsyncIteration as e:
        print('done', e.args)
    for make in (broken, broken2):
        try:
            async for x in make():
                print(x)
        except RuntimeError as e:
            print(e, repr(e.__cause__))
    async for x in agen('three'):
        if x:
            break
    del x
    print([x async for x in agen('four') if x != 1])
    a = agen('five')
    await a.__anext__()
    del a
    for i in range(9):
        await asyncio.sleep(0)


loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.run_until_complete(loop.shutdown_asyncgens())
loop.close()
