if a and \
   b:
    c()
with d() as e, \
f():
    g()
