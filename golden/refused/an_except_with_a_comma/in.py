try:
    a()
except B, e:
    c()
