a()
b()
if c:    d()
