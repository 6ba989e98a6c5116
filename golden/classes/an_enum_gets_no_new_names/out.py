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
    from enum import Enum
except __eh__:
    if __eh__(0): raise


class Color(Enum):
    try:
        RED = 1
    except (lambda: __eh__)():
        if (lambda: __eh__(1))(): raise
    try:
        GREEN = RED + 1
    except (lambda: __eh__)():
        if (lambda: __eh__(2))(): raise

    @property
    def hue(self):
        try:
            return self.value
        except __eh__:
            if __eh__(3): raise
            return __eh__()
