match f():
    case 1 | 2:
        g()
    case [x, *rest] if h(x):
        i()
    case {"k": v, **kw}:
        j()
    case C(a=1) as c:
        k()
    case _:
        pass
