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
  try:
    a()
  except __eh__:
    if __eh__(0): raise
finally:
  try:
    try:
      a()
    except __eh__:
      if __eh__(1): raise
  finally:
    try:
      try:
        a()
      except __eh__:
        if __eh__(2): raise
    finally:
      try:
        try:
          a()
        except __eh__:
          if __eh__(3): raise
      finally:
        try:
          try:
            a()
          except __eh__:
            if __eh__(4): raise
        finally:
          try:
            try:
              a()
            except __eh__:
              if __eh__(5): raise
          finally:
            try:
              try:
                a()
              except __eh__:
                if __eh__(6): raise
            finally:
              try:
                try:
                  a()
                except __eh__:
                  if __eh__(7): raise
              finally:
                try:
                  try:
                    a()
                  except __eh__:
                    if __eh__(8): raise
                finally:
                  try:
                    c()
                  except __eh__:
                    if __eh__(9): raise
