import asyncio
import contextvars
import threading

var = contextvars.ContextVar('var', default='default')


def change(value):
    token = var.set(value)
    try:
        if value == 'fail':
            raise ValueError(var.get())
        return var.get()
    finally:
        var.reset(token)


async def task(n):
    var.set(n)
    await asyncio.sleep(0)
    try:
        change('fail')
    except ValueError as e:
        return n, var.get(), str(e)


async def main():
    print(await asyncio.gather(*[task(i) for i in range(3)]))
    print(var.get())
    loop = asyncio.get_event_loop()
    future = loop.create_future()
    loop.call_soon(lambda: future.set_result(var.get()))
    var.set('later')
    print(await future)


print(change('x'), var.get())
try:
    change('fail')
except ValueError:
    print(var.get())
context = contextvars.copy_context()
print(context.run(lambda: (var.set('inner'), var.get())[1]), var.get(), context[var])
loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.close()
thread = threading.Thread(target=lambda: print('thread', var.get()))
thread.start()
thread.join()


def gen():
    for i in range(2):
        var.set(i)
        yield var.get()


print([var.get() for _ in gen()], var.get())
