"""Generators, coroutines, asynchronous generators and tasks."""
#? crash KeyError generator
#? heal value = 10 -> resumed
#? crash KeyError coroutine
#? heal value = 20 -> resumed
#? crash ZeroDivisionError agen
#? heal n = 3 -> resumed
#? crash KeyError task
#? heal _eh_rtn = 'task' -> returned
import asyncio


def numbers(table):
    yield 1
    value = table['b']  # generator
    yield value


assert list(numbers({})) == [1, 10]


async def one(table):
    await asyncio.sleep(0)
    value = table['b']  # coroutine
    return value


async def many():
    n = 1 // 0  # agen
    for i in range(n):
        yield i


async def work(table):
    await asyncio.sleep(0)
    return table['task']  # task


async def main():
    found = await one({})
    numbers = [i async for i in many()]
    return found, numbers, await asyncio.gather(work({}), work({'task': 1}))

loop = asyncio.new_event_loop()
try:
    assert loop.run_until_complete(main()) == (20, [0, 1, 2], ['task', 1])
finally:
    loop.close()
print('ok')
