log = []


class Cell:
    def __init__(self, name): self.__dict__['name'] = name

    def __setattr__(self, key, value):
        log.append('%s.%s=%r' % (self.name, key, value))
        if key == 'bad': raise AttributeError(key)

    def __setitem__(self, key, value):
        log.append('%s[%r]=%r' % (self.name, key, value))
        if key == 'bad': raise KeyError(key)

    def __getitem__(self, key):
        log.append('%s[%r]' % (self.name, key))
        return 1

    def __delitem__(self, key):
        log.append('del %s[%r]' % (self.name, key))
        if key == 'bad': raise KeyError(key)

    def __iadd__(self, other):
        log.append('%s+=' % self.name)
        if other == 'bad': raise TypeError(other)
        return self


def cell(name):
    log.append('make ' + name)
    return Cell(name)


def value(x):
    log.append('value %r' % (x,))
    return x


def attempt(text, space):
    exec(text, space)


a, b = Cell('a'), Cell('b')
t = ([1],)


def one(): a.x = b.bad = a.y = value(1)
def two(): a['k'], b['bad'], a['m'] = value((1, 2, 3))
def three(): del a['k'], b['bad'], a['m']
def four(): cell('c')[value('k')] = value(1 // 0)
def five(): cell('c')[value('bad')] += value(2)
def six(): t[0] += [2]
def seven(): x = y, z = value((1, 2, 3))
def eight():
    global a
    a += value('bad')
def nine(): a.x, (b['k'], *a['rest']), b.bad = 1, (2, 3, 4), 5
def ten(): print(value(1), value(1 // 0), value(2))
def eleven():
    with open('/dev/null') as a['k'], open('/dev/null') as b['bad']: log.append('body')
def twelve():
    for b['bad'] in value([1, 2]): log.append('body')
def thirteen(): x: value('annotation') = value(3); value(x)
def fourteen(): return value(1) if value(0) else cell('d')[value('k')]


for f in (one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen):
    del log[:]
    try:
        f()
        print(f.__name__, [x.split('<')[0] for x in log])
    except Exception as e:
        print(f.__name__, type(e).__name__, [x.split('<')[0] for x in log])
print(t)
