"""None of these pauses: the program handles them itself."""
import asyncio
import collections
import contextlib
import operator
import unittest


class Probe:
    def __getattr__(self, name):
        raise AttributeError(name)

    @property
    def broken(self):
        raise AttributeError('broken')


class Items:
    def __getitem__(self, i):
        if i > 2:
            raise IndexError(i)
        return i


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is KeyError


class Loud:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        pass


class Own(Exception):
    pass


def fail(kind):
    raise kind('x')


@contextlib.contextmanager
def ignoring(*kinds):
    try:
        yield
    except kinds:
        pass


@contextlib.contextmanager
def passing():
    try:
        yield
    finally:
        pass


def retry(function, kinds=(KeyError, ValueError)):
    for _ in range(2):
        try:
            return function()
        except kinds:
            continue
    return 'gave up'


def translate():
    try:
        fail(KeyError)
    except KeyError as error:
        raise Own from error


def clean_up():
    try:
        fail(ValueError)
    except BaseException:
        cleaned.append(1)
        raise


def left():
    while True:
        try:
            fail(KeyError)
        finally:
            break


cleaned = []
getattr(Probe(), 'x', None)
hasattr(Probe(), 'x')
hasattr(Probe(), 'broken')
assert list(Items()) == [0, 1, 2] and 2 in Items()
a, b, c = Items()
with contextlib.suppress(KeyError, ValueError):
    fail(ValueError)
with Quiet():
    fail(KeyError)
with Loud(), ignoring(OSError, KeyError), passing():
    fail(KeyError)
assert retry(lambda: fail(ValueError)) == 'gave up'
try:
    translate()
except Own:
    pass
try:
    clean_up()
except ValueError:
    pass
left()
next(iter([]), None)
assert [x for x in map(int, ['1'])] == [1]
try:
    [int(x) for x in ['1', 'b']]
except ValueError:
    pass


class Tests(unittest.TestCase):
    def test(self):
        with self.assertRaises(KeyError):
            fail(KeyError)
        self.assertRaises(ValueError, fail, ValueError)
        with self.assertRaisesRegex(ValueError, 'x'):
            fail(ValueError)
        with self.subTest(), self.assertRaises((OSError, KeyError)):
            fail(KeyError)
        with self.raising(ValueError):
            fail(ValueError)
        self.skipTest('enough')

    @contextlib.contextmanager
    def raising(self, kind):
        with self.assertRaises(kind):
            yield

    @unittest.expectedFailure
    def test_wanted(self):
        fail(KeyError)


import io
result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
assert result.wasSuccessful() and len(result.expectedFailures) == 1 and len(result.skipped) == 1


def send():
    try:
        while True:
            yield
    except Own:
        yield 'caught'


generator = send()
next(generator)
assert generator.throw(Own()) == 'caught'


async def cancelled():
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        raise


async def main():
    task = asyncio.ensure_future(cancelled())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
loop.close()


class Missing(dict):
    def __missing__(self, key):
        raise KeyError(key)


assert Missing().get('x') is None
try:
    Missing()['x']
except LookupError:
    pass


class Named:
    def __set_name__(self, owner, name):
        fail(ValueError)


try:
    class Owner:
        named = Named()
except (RuntimeError, ValueError):
    pass


class Deleted:
    def __del__(self):
        fail(ValueError)


import sys
sys.stderr = io.StringIO()
Deleted()
sys.stderr = sys.__stderr__


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError:
    pass
print('ok')
