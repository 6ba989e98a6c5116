def divide(a, b):
    c = a // b
    return c
