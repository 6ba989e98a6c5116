if a:  # healc: skip
    b()
else:
    c()
d()
