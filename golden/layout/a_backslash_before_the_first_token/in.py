\
a()
if b:
  \
    c()
  d()
