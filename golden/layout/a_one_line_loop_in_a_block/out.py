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
def f():
    try:
        for x in y: 
            try:
                g(x); 
            except __eh__:
                if __eh__(1): raise
                if __eh__: return __eh__()
            try:
                h(x)
            except __eh__:
                if __eh__(2): raise
                if __eh__: return __eh__()
        else: 
            try:
                i()
            except __eh__:
                if __eh__(3): raise
                if __eh__: return __eh__()
    except __eh__:
        if __eh__(0): raise
        if __eh__: return __eh__()
    try:
        while j(): 
            try:
                k()
            except __eh__:
                if __eh__(5): raise
                if __eh__: return __eh__()
    except __eh__:
        if __eh__(4): raise
        if __eh__: return __eh__()
