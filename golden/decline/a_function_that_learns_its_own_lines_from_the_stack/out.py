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
    from traceback import extract_stack as lines
except __eh__:
    if __eh__(0): raise


class C:
    def f(self):
        def g():
            return lines(limit=2)
        return g()

    def h(self):
        try:
            return self.f()
        except __eh__:
            if __eh__(1): raise
            return __eh__()


try:
    FIRST = lines()
except __eh__:
    if __eh__(2): raise
