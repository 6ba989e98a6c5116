before = set(globals())
from plain import *
print(sorted(set(globals()) - before - {'before'}))
before = set(globals())
from listed import *
print(sorted(set(globals()) - before))
from pkg import *
print(sub.value, sorted(n for n in dir(sub) if not n.startswith('__')))
import plain
import listed
import pkg
print(sorted(vars(plain).keys() - {'__builtins__'}))
print(sorted(vars(listed).keys() - {'__builtins__'}))
print(listed.__all__, pkg.__all__)
try:
    from listed import missing
except ImportError as e:
    print(str(e).split(' (')[0])
