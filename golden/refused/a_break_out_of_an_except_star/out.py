for x in y:
    try:
        a()
    except* B:
        break
