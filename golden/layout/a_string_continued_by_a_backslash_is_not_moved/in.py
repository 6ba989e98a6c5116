if a:
    b("one\
two")
