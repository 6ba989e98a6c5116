if a <> b:
    c()
