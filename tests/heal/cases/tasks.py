"""Who waits for a task decides."""
#? crash KeyError nobody
#? reraise
#? crash KeyError surfaces
#? reraise
import asyncio
import concurrent.futures


async def fail(table):
    await asyncio.sleep(0)
    return table['b']  # handled


async def handled():
    task = asyncio.ensure_future(fail({}))
    try:
        await task
    except KeyError:
        pass
    found = await asyncio.gather(fail({}), return_exceptions=True)
    assert type(found[0]) is KeyError
    try:
        await asyncio.gather(fail({}), fail({'b': 1}))
    except KeyError:
        pass
    try:
        await asyncio.wait_for(fail({}), 10)
    except LookupError:
        pass


async def nobody(table):
    await asyncio.sleep(0)
    return table['b']  # nobody


async def alone():
    asyncio.ensure_future(nobody({}))
    await asyncio.sleep(0.01)


async def surfaces(table):
    await asyncio.sleep(0)
    return table['b']  # surfaces

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
loop.set_exception_handler(lambda *_: None)
loop.run_until_complete(handled())
loop.run_until_complete(alone())
try:
    loop.run_until_complete(fail({}))
except KeyError:
    pass


def run():
    loop.run_until_complete(surfaces({}))

import sys
import threading
sys.excepthook = lambda *_: None
if hasattr(threading, 'excepthook'):
    threading.excepthook = lambda *_: None
else:
    sys.stderr = open(__import__('os').devnull, 'w')
thread = threading.Thread(target=run)
thread.start()
thread.join()
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    def late(table):
        import time
        time.sleep(0.2)
        return table['b']
    try:
        pool.submit(late, {}).result()
    except KeyError:
        pass
loop.close()
print('ok')
