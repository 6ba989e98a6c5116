class Fails:
    def __init__(self, where): self.where = where
    def check(self, name):
        if self.where == name: raise ValueError(name)
        return True
    def __iter__(self): self.check('iter'); return self
    def __next__(self):
        self.check('next')
        raise StopIteration
    def __enter__(self): self.check('enter'); return self
    def __exit__(self, *info): self.check('exit'); return self.where == 'swallow'
    def __bool__(self): return self.check('bool')
    def __len__(self): self.check('len'); return 1
    def __contains__(self, x): return self.check('contains')
    def __call__(self): return self.check('call')
    def __getitem__(self, i): self.check('getitem'); raise IndexError
    def __index__(self): self.check('index'); return 1
    def __format__(self, spec): self.check('format'); return 'f'
    def __del__(self): pass


def every(x):
    out = []
    try:
        for i in x: pass
        else: out.append('for')
    except ValueError as e: out.append('for %s' % e)
    try:
        with x as y: out.append('with'); raise KeyError
    except (ValueError, KeyError) as e: out.append('with %s %s' % (e, type(e.__context__).__name__))
    try:
        if x: out.append('if')
    except ValueError as e: out.append('if %s' % e)
    try:
        while not x: pass
    except ValueError as e: out.append('while %s' % e)
    try:
        assert 1 in x and x()
        out.append('assert')
    except ValueError as e: out.append('assert %s' % e)
    try:
        a, *b = x
    except ValueError as e: out.append('unpack %s' % str(e)[:8])
    try:
        out.append([0, 1][x]); f'{x}'
        len(x)
    except ValueError as e: out.append('index %s' % e)
    try:
        yield from x
        out.append('yield from')
    except ValueError as e: out.append('yield from %s' % e)
    yield out


for where in ('none', 'iter', 'next', 'enter', 'exit', 'swallow', 'bool', 'len', 'contains', 'call', 'index', 'format'):
    print(where, list(every(Fails(where)))[-1])
