try: (lambda: __eh__)()  # healc: instrumented 0.1.0
except: pass
try: f()
except __eh__:
    if __eh__(0): raise
