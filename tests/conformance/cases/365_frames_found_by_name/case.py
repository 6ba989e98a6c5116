import collections
import enum
import logging
import sys
import typing
import warnings

from advice import implements, caller_name, stack, inject


class C:
    implements('A', 'B')
    name = caller_name()
    for i in range(1):
        deeper = caller_name()


def f():
    return caller_name(), [caller_name() for _ in range(1)][0] in ('<listcomp>', 'f')


class D:
    def m(self):
        with open('/dev/null'):
            try:
                return stack()
            finally:
                pass


def injected():
    inject('planted', 5)
    return locals().get('planted')


print(C.__implements__, C.name, C.deeper, f(), D().m())
print(collections.namedtuple('N', 'a').__module__, enum.Enum('E', 'A').__module__, typing.NewType('T', int).__name__)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    warnings.warn('x')
    (lambda: warnings.warn('y', stacklevel=2))()
print([w.filename.endswith('case.py') for w in caught])
record = logging.getLogger().makeRecord
logging.basicConfig(stream=sys.stdout, format='%(funcName)s %(filename)s %(message)s')


def logs():
    if True: logging.warning('from a function')


logs()
logging.warning('from the module')
inject('at_module', 1)
print(at_module)
