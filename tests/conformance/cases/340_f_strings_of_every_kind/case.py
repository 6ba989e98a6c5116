import asyncio

x, width, d = 3.14159, 10, {'a': 1, "b": [1, 2]}


class F:
    def __format__(self, spec):
        if spec == 'bad':
            raise ValueError(spec)
        return '<%s>' % spec

    def __str__(self):
        return 'str'

    def __repr__(self):
        return 'repr'


print(f'{x:{width}.{2 + 1}f}|{d["a"]}|{F()!r}|{F()!s:>5}|{F():{"sp" + "ec"}}|{{}}{{{x:.1f}}}')
print(f"{f'{1}' if False else 2} {f'{x:.0f}'!r}" f'{"a" "b"}' rf'\n{x:.0f}')
print(f'''{
    x
    :.2f}
  {d['b'][0]} {'}'} ''')
print(f'{(lambda y: y * 2)(3)} {[i for i in range(3)]} { {1: 2}[1] } {x!r:.3}')


def gen():
    got = f'{(yield 1)} and {(yield 2)}'
    return got


g = gen()
next(g), g.send('a')
try:
    g.send('b')
except StopIteration as e:
    print(e.value)


async def co():
    return f'{await asyncio.sleep(0, "slept")}'


loop = asyncio.new_event_loop()
print(loop.run_until_complete(co()))
loop.close()
try:
    f'{F():bad}'
except ValueError as e:
    print('error', e)
try:
    f'{1 / 0}'
except ZeroDivisionError as e:
    print(e)


def doc():
    f'''not a docstring {1}'''


print(doc.__doc__, '%s' f'{1}' '%d' % ('s', 2), f'' == '', F'{1}' fr'{2}')
