"""Module.

>>> double(2)
4
>>> double(None)
Traceback (most recent call last):
    ...
TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'
"""
import doctest
import io
import sys
import unittest
import warnings


def double(x):
    """Double.

    >>> double('a')
    'aa'
    """
    if x is None:
        return x * 2
    return x * 2


class Tests(unittest.TestCase):
    log = []

    def setUp(self):
        self.addCleanup(self.log.append, 'cleanup')

    def test_raises(self):
        with self.assertRaises(KeyError) as caught:
            {}['x']
        self.assertIsNone(caught.exception.__context__)
        with self.assertRaisesRegex(ValueError, 'invalid'):
            int('x')

    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    def test_fails(self):
        self.assertEqual(1, 2)

    def test_error(self):
        return 1 / 0

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_skip(self):
        raise unittest.SkipTest('skipped')

    def test_warns(self):
        with self.assertWarns(DeprecationWarning):
            warnings.warn('x', DeprecationWarning)


stream = io.StringIO()
result = unittest.TextTestRunner(stream, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
print(result.testsRun, sorted(str(t).split()[0] for t, _ in result.failures), [str(t).split()[0] for t, _ in result.errors],
      len(result.skipped), len(result.expectedFailures), len(Tests.log))
print([text.strip().splitlines()[-1] for _, text in result.errors])
print([text.count('File "') for _, text in result.failures + result.errors])
print(tuple(doctest.testmod())[:2])
