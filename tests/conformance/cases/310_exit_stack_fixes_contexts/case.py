import contextlib


@contextlib.contextmanager
def manager(name, fail=None, swallow=False):
    print('enter', name)
    try:
        yield name
    except Exception as e:
        print(name, 'saw', type(e).__name__)
        if fail:
            raise fail(name)
        if not swallow:
            raise
    else:
        if fail:
            raise fail(name)
    finally:
        print('leave', name)


def chain(e):
    names = []
    while e is not None:
        names.append(type(e).__name__ + str(e))
        e = e.__context__
    return names


def run(*managers):
    try:
        with contextlib.ExitStack() as stack:
            for m in managers:
                stack.enter_context(m)
            stack.callback(print, 'callback')
            raise ValueError('body')
        return 'normal'
    except Exception as e:
        return chain(e)


def callback_fails():
    raise IndexError('callback')


print(run(manager('a'), manager('b')))
print(run(manager('a', KeyError), manager('b', OSError)))
print(run(manager('a', swallow=True), manager('b', OSError)))
print(run(manager('a', KeyError), manager('b', swallow=True)))
try:
    with contextlib.ExitStack() as stack:
        stack.callback(callback_fails)
        stack.push(lambda *details: print('details', details[0].__name__))
        stack.enter_context(contextlib.suppress(TypeError))
        raise ZeroDivisionError('z')
except Exception as e:
    print(chain(e))
try:
    with manager('outer', KeyError), manager('inner', ValueError):
        pass
except KeyError as e:
    print(chain(e))
with contextlib.suppress(ValueError), manager('suppressed'):
    raise ValueError
try:
    with manager('stop'):
        raise StopIteration('s')
except StopIteration as e:
    print('stop', e)
