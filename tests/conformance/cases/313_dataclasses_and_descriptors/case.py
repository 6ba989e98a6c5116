import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, List


@dataclass(order=True)
class Item:
    name: str
    price: float = 1.5
    tags: List[str] = field(default_factory=list, compare=False)
    count: ClassVar[int] = 0

    def __post_init__(self):
        Item.count += 1
        if self.price < 0:
            raise ValueError('negative')

    @property
    def total(self) -> float:
        return self.price * 2


@dataclass(frozen=True)
class Frozen:
    a: int
    b: 'Frozen' = None


@dataclass
class Child(Item):
    extra: int = dataclasses.field(default=3, repr=False)


print(Item('a'), Item('a') < Item('b'), Item('a', 2).total, Item.count)
print([f.name for f in dataclasses.fields(Child)], Child('c').extra, Child('c'))
print(Item.__annotations__)
try:
    Item('x', -1)
except ValueError as e:
    print(e)
try:
    Frozen(1).a = 2
except dataclasses.FrozenInstanceError as e:
    print(e)
print(dataclasses.asdict(Child('d', 1.0, ['t'])), dataclasses.replace(Frozen(1), a=2))
try:
    @dataclass
    class Bad:
        a: int = 1
        b: int
except TypeError as e:
    print(e)
try:
    @dataclass
    class Mutable:
        a: list = []
except ValueError as e:
    print('mutable')
