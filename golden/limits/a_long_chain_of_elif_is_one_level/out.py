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
    if a == 0:
        try:
            b(0)
        except __eh__:
            if __eh__(1): raise
    elif a == 1:
        try:
            b(1)
        except __eh__:
            if __eh__(2): raise
    elif a == 2:
        try:
            b(2)
        except __eh__:
            if __eh__(3): raise
    elif a == 3:
        try:
            b(3)
        except __eh__:
            if __eh__(4): raise
    elif a == 4:
        try:
            b(4)
        except __eh__:
            if __eh__(5): raise
    elif a == 5:
        try:
            b(5)
        except __eh__:
            if __eh__(6): raise
    elif a == 6:
        try:
            b(6)
        except __eh__:
            if __eh__(7): raise
    elif a == 7:
        try:
            b(7)
        except __eh__:
            if __eh__(8): raise
    elif a == 8:
        try:
            b(8)
        except __eh__:
            if __eh__(9): raise
    elif a == 9:
        try:
            b(9)
        except __eh__:
            if __eh__(10): raise
    elif a == 10:
        try:
            b(10)
        except __eh__:
            if __eh__(11): raise
    elif a == 11:
        try:
            b(11)
        except __eh__:
            if __eh__(12): raise
    elif a == 12:
        try:
            b(12)
        except __eh__:
            if __eh__(13): raise
    elif a == 13:
        try:
            b(13)
        except __eh__:
            if __eh__(14): raise
    elif a == 14:
        try:
            b(14)
        except __eh__:
            if __eh__(15): raise
    elif a == 15:
        try:
            b(15)
        except __eh__:
            if __eh__(16): raise
    elif a == 16:
        try:
            b(16)
        except __eh__:
            if __eh__(17): raise
    elif a == 17:
        try:
            b(17)
        except __eh__:
            if __eh__(18): raise
    elif a == 18:
        try:
            b(18)
        except __eh__:
            if __eh__(19): raise
    elif a == 19:
        try:
            b(19)
        except __eh__:
            if __eh__(20): raise
    elif a == 20:
        try:
            b(20)
        except __eh__:
            if __eh__(21): raise
    elif a == 21:
        try:
            b(21)
        except __eh__:
            if __eh__(22): raise
    elif a == 22:
        try:
            b(22)
        except __eh__:
            if __eh__(23): raise
    elif a == 23:
        try:
            b(23)
        except __eh__:
            if __eh__(24): raise
    elif a == 24:
        try:
            b(24)
        except __eh__:
            if __eh__(25): raise
    elif a == 25:
        try:
            b(25)
        except __eh__:
            if __eh__(26): raise
    elif a == 26:
        try:
            b(26)
        except __eh__:
            if __eh__(27): raise
    elif a == 27:
        try:
            b(27)
        except __eh__:
            if __eh__(28): raise
    elif a == 28:
        try:
            b(28)
        except __eh__:
            if __eh__(29): raise
    elif a == 29:
        try:
            b(29)
        except __eh__:
            if __eh__(30): raise
except __eh__:
    if __eh__(0): raise
