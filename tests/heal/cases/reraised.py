"""What is let go on is what it was, and is not offered again."""
#? crash KeyError inner
#? probe x = 1 -> value None
#? heal raise ValueError('no') -> error execution ValueError
#? reraise
#? crash KeyError cause
#? reraise
#? crash OSError chained
#? reraise
#? crash KeyError again
#? reraise
#? crash KeyError again
#? reraise
import sys
import traceback


def inner(table):
    x = table['b']  # inner
    return x


def outer(table):
    for _ in range(1):
        if True:
            x = inner(table)
    return x


def catch(function, *args):
    """Not a handler that the look sees: the frames above this one end here."""
    import threading
    caught = []

    class Quiet(threading.Thread):
        def run(self):
            function(*args)
    if hasattr(threading, 'excepthook'):
        threading.excepthook = lambda args: caught.append(args.exc_value)
    else:
        def keep(*args):
            caught.append(sys.exc_info()[1])

        class Keep:
            write = flush = lambda *args: keep()
        sys.stderr, old = Keep(), sys.stderr
    thread = Quiet()
    thread.start()
    thread.join()
    if not hasattr(threading, 'excepthook'):
        sys.stderr = old
    return caught[0]


error = catch(outer, {})
assert type(error) is KeyError and error.args == ('b',) and error.__context__ is None
assert error.__cause__ is None and not error.__suppress_context__
names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
assert names[-2:] == ['outer', 'inner'], names


def chained():
    try:
        {}['a']  # cause
    except KeyError as error:
        raise OSError('file') from error  # chained


error = catch(chained)
assert type(error) is OSError and type(error.__cause__) is KeyError and error.__cause__.args == ('a',)
assert error.__suppress_context__ and error.__context__ is error.__cause__


def again(table):
    x = table['b']  # again
    return x


for _ in range(2):
    catch(again, {})
print('ok')
