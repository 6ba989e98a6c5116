fs = []
for i in range(3):
    fs.append(lambda: i)
    def g(i=i): return i
    fs.append(g)
print([f() for f in fs])


def local():
    fs = []
    for i in range(3):
        def f():
            return i
        fs.append(f)
        fs.append(lambda i=i: i)
    i = 'rebound'
    return [f() for f in fs]


print(local())


def accumulate():
    total = 0
    steps = []
    for n in (1, 2, 3):
        def step(k=n):
            nonlocal total
            total += k
            return total
        steps.append(step)
    return [s() for s in steps], total


print(accumulate())


def generator():
    for x in range(3):
        yield lambda: x


print([f() for f in generator()], [f() for f in list(generator())])
print([f() for f in [lambda: k for k in range(3)]], [(lambda k=k: k)() for k in range(3)])


def rebinding():
    x = 1
    get = lambda: x
    result = [get()]
    x = 2
    result.append(get())
    try:
        raise ValueError
    except ValueError as x:
        result.append(type(get()).__name__)
    try:
        get()
    except NameError:
        result.append('gone')
    return result


print(rebinding())


def parameter(x):
    def get(): return x
    x += 1
    return get(), x


print(parameter(1))
