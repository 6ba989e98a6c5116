import lazy

print(lazy.known, lazy.dynamic, sorted(n for n in dir(lazy)))
try:
    lazy.missing
except AttributeError as e:
    print(e)
try:
    lazy.broken
except ZeroDivisionError as e:
    print(e)
from lazy import heavy
print(heavy.value)
print(hasattr(lazy, 'nothing'), getattr(lazy, 'nothing', 'default'))
print(lazy.asked)
