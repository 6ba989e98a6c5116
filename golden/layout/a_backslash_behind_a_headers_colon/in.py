if a: \
  b()
c()
