import asyncio
import types


class Awaitable:
    def __init__(self, value): self.value = value

    def __await__(self):
        got = yield self.value
        return got


@types.coroutine
def old(value):
    return (yield value)


async def co(log):
    try:
        a = await Awaitable(1)
        log.append(a)
        async with Manager(log) as m:
            b = await old(2)
            log.append(b)
        for i in range(2):
            if i: continue
            try:
                log.append(await Awaitable(3))
            except ValueError as e:
                log.append('value')
                return 'early'
    except GeneratorExit:
        log.append('exit')
        raise
    finally:
        log.append('finally')
    return 'late'


class Manager:
    def __init__(self, log): self.log = log
    async def __aenter__(self): self.log.append('enter'); return self
    async def __aexit__(self, *info): self.log.append(info[0] and info[0].__name__)


log = []
c = co(log)
print(c.send(None), c.send('a'), c.send('b'))
try:
    c.throw(ValueError('v'))
except StopIteration as e:
    print(e.value, log)
log = []
c = co(log)
c.send(None), c.send('a')
c.close()
print(log)
try:
    c.send(None)
except RuntimeError as e:
    print(e)


async def cancelled():
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        print('cancelled')
        try:
            await asyncio.sleep(0)
        finally:
            print('cleanup')
        raise


async def shielded():
    task = asyncio.ensure_future(cancelled())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print('seen', task.cancelled())
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print('timeout')
    results = await asyncio.gather(asyncio.sleep(0, 1), failing(), return_exceptions=True)
    print(results)


async def failing(): raise KeyError('k')


loop = asyncio.new_event_loop()
loop.run_until_complete(shielded())
loop.close()
c = failing()
try:
    c.send(None)
except KeyError as e:
    print(repr(e))
