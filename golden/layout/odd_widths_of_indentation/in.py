def f():
 if a:
   b()
 else:
       c()
 return d()
