while True:
    f()
