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
if a():
 if a():
  if a():
   if a():
    if a():
     if a():
      if a():
       if a():
        if a():
         if a():
          if a():
           if a():
            if a():
             if a():
              if a():
               if a():
                if a():
                 if a():
                  if a():
                   if a():
                    if a():
                     if a():
                      if a():
                       if a():
                        if a():
                         if a():
                          if a():
                           if a():
                            if a():
                             if a():
                              if a():
                               if a():
                                if a():
                                 if a():
                                  if a():
                                   if a():
                                    if a():
                                     if a():
                                      if a():
                                       if a():
                                        if a():
                                         if a():
                                          try:
                                           if a():
                                            try:
                                             if a():
                                              try:
                                               if a():
                                                try:
                                                 if a():
                                                  try:
                                                   if a():
                                                    try:
                                                     if a():
                                                      try:
                                                       if a():
                                                        try:
                                                         if a():
                                                          try:
                                                           if a():
                                                            try:
                                                             if a():
                                                              try:
                                                               if a():
                                                                try:
                                                                 if a():
                                                                  try:
                                                                   if a():
                                                                    try:
                                                                     if a():
                                                                      try:
                                                                       if a():
                                                                        try:
                                                                         if a():
                                                                          try:
                                                                           if a():
                                                                            try:
                                                                             if a():
                                                                              try:
                                                                               b()
                                                                              except __eh__:
                                                                               if __eh__(18): raise
                                                                            except __eh__:
                                                                             if __eh__(17): raise
                                                                          except __eh__:
                                                                           if __eh__(16): raise
                                                                        except __eh__:
                                                                         if __eh__(15): raise
                                                                      except __eh__:
                                                                       if __eh__(14): raise
                                                                    except __eh__:
                                                                     if __eh__(13): raise
                                                                  except __eh__:
                                                                   if __eh__(12): raise
                                                                except __eh__:
                                                                 if __eh__(11): raise
                                                              except __eh__:
                                                               if __eh__(10): raise
                                                            except __eh__:
                                                             if __eh__(9): raise
                                                          except __eh__:
                                                           if __eh__(8): raise
                                                        except __eh__:
                                                         if __eh__(7): raise
                                                      except __eh__:
                                                       if __eh__(6): raise
                                                    except __eh__:
                                                     if __eh__(5): raise
                                                  except __eh__:
                                                   if __eh__(4): raise
                                                except __eh__:
                                                 if __eh__(3): raise
                                              except __eh__:
                                               if __eh__(2): raise
                                            except __eh__:
                                             if __eh__(1): raise
                                          except __eh__:
                                           if __eh__(0): raise
