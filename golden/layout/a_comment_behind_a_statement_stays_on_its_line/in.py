x = f()  # why
y = g()  # and why
