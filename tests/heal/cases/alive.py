"""Nothing of the program is kept alive by a pause."""
#? crash KeyError healed
#? probe len(str(thing)) > 1 -> value True
#? heal x = 1 -> resumed
#? crash KeyError let
#? reraise
import gc
import sys
import threading
import weakref

gc.disable()


class Thing:
    pass


def healed(thing, table):
    x = table['b']  # healed
    return x


def let(thing, table):
    return table['c']  # let


def expected(thing, table):
    try:
        return table['d']
    except KeyError:
        return None


thing = Thing()
ref = weakref.ref(thing)
assert healed(thing, {}) == 1
expected(thing, {})
del thing
assert ref() is None
thing = Thing()
ref = weakref.ref(thing)
if hasattr(threading, 'excepthook'):
    threading.excepthook = lambda *_: None
else:
    import io
    sys.stderr = io.StringIO()
thread = threading.Thread(target=let, args=(thing, {}))
thread.start()
thread.join()
del thing, thread
sys.stderr = sys.__stderr__
assert ref() is None
print('ok')
