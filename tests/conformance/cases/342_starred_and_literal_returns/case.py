def a(*x): return *x, 1
def b(x): return 0, *x
def c(x): return *x, *x,
def d(x):
    return {**x, 'b': 2}, [*x], {*x}
def e(x): return x if x else None
def f(x): return (yield)
def g(x): return lambda: x
def h(x): return(x)
def i(x): return-x
def j(x): return[x,x][0]
def k(x): return"a"if x else'b'
def l(x): return not x
def m(x): return x or[]
def n(x): return \
    x
def o(x): return (
    x  # comment
)
def p(x): return '''
%s''' % x
def q(x): return x,
def r(x): return ()
def s(x): return ...
def t(x): return x == x != 1
def u(x): return f'{x}'
def v(x): return lambda y=x: y
def w(x): return [z for z in [x]]
def y(x): return x; print('never')


sentinel = []
print(a(1, 2), b([1]), c([1]), d({'a': 1}), e(0), f(1).__name__, g(1)(), h(1), i(1), j(1), k(0), l(0), m(0), n(1))
print(o(1), p(1), q(1), r(1), s(1), t(2), u(1), v(1)(), w(1), y(1))
print(h(sentinel) is sentinel, n(sentinel) is sentinel, q(sentinel)[0] is sentinel, r(1) is r(1), p(1))
