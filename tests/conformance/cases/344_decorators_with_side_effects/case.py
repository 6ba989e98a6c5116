log = []


def note(x, value=None):
    log.append(x)
    return value if value is not None else x


def deco(name):
    log.append('make ' + name)

    def apply(f):
        log.append('apply ' + name)
        return f
    return apply


@deco('a')
@deco('b')
def f(x=note('default x'), *, y: note('annotation y') = note('default y')) -> note('annotation return'):
    return x, y


@deco('c')
class C(note('base', object), metaclass=note('meta', type)):
    note('body')

    @deco('method')
    def m(self, z=note('default z')): return z

    @property
    @deco('getter')
    def p(self): return 'p'

    @p.setter
    def p(self, value): log.append('set %s' % value)


def odd(f): return 42


@odd
def number(): pass


@staticmethod
@odd
def never(): pass


def failing(f): raise ValueError(f.__name__)


try:
    @failing
    def g(): pass
except ValueError as e:
    log.append('failed %s %s' % (e, 'g' in globals()))
try:
    @deco('x')
    class D(note('base d', object), 1 / 0): pass
except ZeroDivisionError as e:
    log.append('no base')


def factory():
    counter = []

    class Registry:
        items = {}

        @classmethod
        def register(cls, f):
            cls.items[f.__name__] = f
            counter.append(len(cls.items))
            return f

    @Registry.register
    def one(): return 1

    @Registry.register
    def two(): return 2
    return Registry, counter


R, counter = factory()
print('\n'.join(log))
print(f(), C().m(), C().p, number, sorted(R.items), counter)
C().p = 'new'
print(log[-1])
