import gc


def gen(name):
    try:
        with_context = name
        for i in range(3):
            try:
                yield i
            except ValueError:
                print(name, 'value')
            finally:
                print(name, 'inner', i)
    except GeneratorExit:
        print(name, 'exit')
        raise
    finally:
        print(name, 'outer')


g = gen('one')
next(g)
del g
print('deleted one')
g = gen('two')
next(g)
cycle = [g]
cycle.append(cycle)
del g, cycle
print(gc.collect() > 0)
g = gen('three')
next(g)
print(g.throw(ValueError))
g.close()
g.close()
g = gen('four')
g.close()
g = gen('five')
next(g)


def stubborn():
    while True:
        try:
            yield 1
        except GeneratorExit:
            print('no')
            yield 2
            return


s = stubborn()
next(s)
try:
    s.close()
except RuntimeError as e:
    print(e)
s = None
print('end')
