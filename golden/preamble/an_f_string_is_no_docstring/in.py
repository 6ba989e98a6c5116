f"not a docstring"
f()
