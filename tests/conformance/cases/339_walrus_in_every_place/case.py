def f(x):
    return x


if (n := f(3)) > 2: print(n)
while (n := n - 1): print(n)
print([last := i for i in range(3)], last)
print(any((found := x) > 1 for x in range(4)), found)
print([y := 1, y ** 2], (z := 2, z + 1), {k: (v := k * 2) for k in range(2)}, v)
print(f'{(q := 5)} {q!r:>{q}}', f((p := 1) + p))


def scopes():
    total = 0
    partial = [total := total + i for i in range(4)]
    return total, partial, [(lambda: (t := j))() for j in range(2)]


def g(a, b=(d := 7)):
    return a, b


def inner():
    def nested():
        nonlocal m
        return [m := i for i in range(3)]
    m = None
    nested()
    global made
    [made := i for i in range(2)]
    return m


print(scopes(), g(1), d, inner(), made)
x = [0, 1, 2]
print(x[(s := 1)], x[(lo := 0):(hi := 2)], s, lo, hi)
assert (a := f(1)), a
try:
    assert not (b := f(1)), (message := 'failed')
except AssertionError as e:
    print(e, b, message)
with open('/dev/null') as handle, (h := handle): print(h.name)
del (a)
print(not (w := None), (lambda: (u := 3) + u)())


class C:
    items = [1, 2]
    first = (second := items[0]) + 1


print(C.first, C.second)
