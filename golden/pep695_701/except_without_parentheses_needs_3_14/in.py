try:
    a()
except B, C:
    d()
