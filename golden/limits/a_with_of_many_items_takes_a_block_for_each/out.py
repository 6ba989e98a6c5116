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
    with a(0), a(1), a(2), a(3), a(4), a(5), a(6), a(7), a(8), a(9), a(10), a(11), a(12), a(13), a(14), a(15), a(16), a(17), a(18):
        b()
except __eh__:
    if __eh__(0): raise
