log = []


class D:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        log.append(self.name)


def make(name):
    d = D(name)
    return d


def three():
    a = make('a')
    b = make('b')
    c = make('c')
    del b
    log.append('body')


def give():
    a = make('a2')
    b = make('b2')
    return b


def give_tuple():
    a, b = D('t1'), D('t2')
    return a, b


def replace():
    x = make('old')
    x = make('new')
    log.append('replaced')
    x = None
    log.append('none')


def loop():
    for x in map(make, 'xyz'):
        log.append('loop ' + x.name)
    log.append('after')


def swallow():
    d = D('swallowed')
    try:
        return d
    finally:
        log.append('finally')
        d = None


def throw():
    d = D('thrown')
    raise ValueError(d)


three()
give()
log.append('given')
r = give()
log.append('kept')
del r
give_tuple()
p, q = give_tuple()
del q
log.append('q gone')
del p
replace()
loop()
swallow()
try:
    throw()
except ValueError as e:
    log.append('caught')
log.append('left')
make('dropped')
[make('l1'), make('l2')]
x = make('x'); y = make('y'); del x; del y
print('\n'.join(log))
