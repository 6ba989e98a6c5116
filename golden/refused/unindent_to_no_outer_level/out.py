if a:
        b()
    c()
