b"not a docstring"
f()
