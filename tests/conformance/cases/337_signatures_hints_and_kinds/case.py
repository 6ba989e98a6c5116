import functools
import inspect
import typing


def deco(f):
    @functools.wraps(f)
    def wrapper(*args, **kw):
        """Own."""
        return f(*args, **kw)
    return wrapper


@deco
def f(a: int, b: 'str' = 'x', *c: float, d: typing.Optional[int] = None, **e: bytes) -> 'typing.List[int]':
    """Doc of f."""
    return [a]


class C:
    """Doc of C."""
    attribute: int = 1

    def method(self, x: int) -> None:
        """Doc of method."""

    @staticmethod
    def static(x): return x

    @classmethod
    def klass(cls): return cls.__name__

    @property
    def prop(self) -> int:
        "Doc of prop."
        return 1

    async def coroutine(self): return await self.x

    def generator(self):
        yield self

    async def agen(self):
        yield self

    def __call__(self, *args): return args


def outer(x):
    def inner(y=1): return x + y
    return inner


print(inspect.signature(f), f.__wrapped__.__name__, f.__name__, f.__doc__, f.__qualname__, f.__module__)
print(typing.get_type_hints(f), f.__wrapped__.__defaults__, f.__wrapped__.__kwdefaults__)
print(C.__doc__, C.method.__doc__, C.prop.__doc__, C.__annotations__, inspect.signature(C()))
for name in ('method', 'static', 'klass', 'coroutine', 'generator', 'agen'):
    function = inspect.unwrap(getattr(C, name))
    print(name, inspect.iscoroutinefunction(function), inspect.isgeneratorfunction(function),
          inspect.isasyncgenfunction(function), function.__qualname__, inspect.signature(function))
inner = outer(5)
print(inspect.getclosurevars(inner).nonlocals, inner.__closure__[0].cell_contents, inner.__qualname__)
print(inspect.getfullargspec(inner), inner.__code__.co_argcount, inner.__code__.co_varnames, bin(inner.__code__.co_flags))
print([n for n, v in inspect.getmembers(C) if n[0] != '_'], [k for k, v in vars(C).items() if k[0] != '_'])
print(inspect.getmodule(f).__name__, inspect.isfunction(f), inspect.getdoc(C.method))
print(functools.singledispatch(outer).dispatch(int) is outer, functools.lru_cache()(outer).__wrapped__ is outer)
print((lambda x, *y, z=1: x).__code__.co_varnames, outer.__code__.co_cellvars, outer.__code__.co_freevars)
