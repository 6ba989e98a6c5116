import enum
from collections import namedtuple
from typing import NamedTuple


class Color(enum.Enum):
    RED = 1
    GREEN = RED + 1
    CRIMSON = 1
    _secret = 5

    def __init__(self, value):
        self.label = self.name.lower() if hasattr(self, 'name') else 'x'

    @classmethod
    def parse(cls, text):
        try:
            return cls[text.upper()]
        except KeyError:
            return cls.RED

    @property
    def double(self):
        return self.value * 2


class Perm(enum.IntFlag):
    R = 4
    W = 2
    X = 1
    RWX = R | W | X


class Auto(enum.Enum):
    A = enum.auto()
    B = enum.auto()
    C = enum.auto()


class Point(NamedTuple):
    x: int
    y: int = 0

    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** .5


class Sub(namedtuple('Sub', 'a b')):
    __slots__ = ()

    def total(self):
        return self.a + self.b


print([c.name for c in Color], Color.CRIMSON is Color.RED, Color.parse('green'), Color.parse('no'))
print(Color.GREEN.double, [m for m in Color.__members__])
print(int(Perm.RWX), Perm.R in Perm.RWX, [a.value for a in Auto])
print(Point(3, 4).norm(), Point(1), Point._fields, Point.__annotations__)
print(Sub(1, 2).total(), Sub(1, 2))
for body in ('RED = 1\n    RED = 2', 'RED = 1\n    mro = 2'):
    try:
        exec('import enum\nclass Bad(enum.Enum):\n    ' + body)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
try:
    class Broken(enum.Enum):
        A = int('x')
except ValueError as e:
    print(e)
