"""`python -m unittest`, with the outcome of each test as JUnit XML in $HEALC_JUNIT."""
import os
import sys
import time
import unittest
from xml.sax.saxutils import quoteattr

__unittest = True


def _clean(text):
    return ''.join(c if c >= ' ' or c in '\n\t' else '?' for c in text)


class Result(unittest.TextTestResult):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.records = []
        self._start = time.time()

    def startTest(self, test):
        self._start = time.time()
        super().startTest(test)

    def _record(self, test, outcome, message=''):
        self.records.append((test.id(), outcome, message, time.time() - self._start))

    def addSuccess(self, test):
        super().addSuccess(test)
        self._record(test, 'passed')

    def addError(self, test, err):
        super().addError(test, err)
        self._record(test, 'error', self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._record(test, 'failure', self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._record(test, 'skipped', reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._record(test, 'xfailed')

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._record(test, 'failure', 'Unexpected success')

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._record(subtest, 'failure', self._exc_info_to_string(err, test))


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        result = super().run(test)
        lines = ['<?xml version="1.0" encoding="utf-8"?>', '<testsuites><testsuite name="unittest">']
        for name, outcome, message, seconds in result.records:
            lines.append('<testcase name=%s time="%.3f">' % (quoteattr(_clean(name)), seconds))
            if outcome == 'xfailed':
                lines.append('<skipped type="xfail"/>')
            elif outcome != 'passed':
                lines.append('<%s message=%s/>' % (outcome, quoteattr(_clean(message))))
            lines.append('</testcase>')
        lines.append('</testsuite></testsuites>\n')
        with open(os.environ['HEALC_JUNIT'], 'wb') as file:
            file.write('\n'.join(lines).encode('utf-8', 'replace'))
        return result


if __name__ == '__main__':
    sys.argv[0] = os.path.basename(sys.executable) + ' -m unittest'
    unittest.main(module=None, testRunner=Runner)
