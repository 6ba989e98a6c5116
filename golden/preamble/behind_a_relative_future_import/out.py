from .__future__ import annotations

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
    x = f()
except __eh__:
    if __eh__(0): raise
