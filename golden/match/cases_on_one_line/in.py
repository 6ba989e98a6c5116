def f(x):
    match x:
        case 1: return g()
        case _: h(); return i()
