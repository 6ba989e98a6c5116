try:
    a()
except* B:
    c()
