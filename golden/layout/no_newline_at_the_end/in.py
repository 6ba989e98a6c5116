if a:
    b()