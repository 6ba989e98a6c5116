a()
# healc: off
b()
if c:
    d()
# healc: on
e()
