try: (lambda: __eh__)()  # healc: instrumented 0.1.0
except:
    try: (lambda: (__import__('_eh_runtime'), __eh__))()
    except:
        try: (lambda: (lambda b: (setattr(b, '__eh__', type('', (tuple,), {'__del__': lambda s: b.__setattr__('__eh__', type('', (tuple,), {'__del__': lambda s: b.__setattr__('__eh__', ())})())})()), __eh__))(__import__('builtins')))()
        except:
            try: (lambda: __builtins__.__setitem__('__eh__', ()))()
            except:
                try: (lambda: __builtins__.__setattr__('__eh__', ()))()
                except: pass
try:
    match f():
        case 1 | 2:
            try:
                g()
            except __eh__:
                if __eh__(1): raise
        case [x, *rest] if h(x):
            try:
                i()
            except __eh__:
                if __eh__(2): raise
        case {"k": v, **kw}:
            try:
                j()
            except __eh__:
                if __eh__(3): raise
        case C(a=1) as c:
            try:
                k()
            except __eh__:
                if __eh__(4): raise
        case _:
            pass
except __eh__:
    if __eh__(0): raise
