x = f() + \
    g()
assert x, \
"message"
