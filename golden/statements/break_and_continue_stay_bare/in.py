for x in y:
    if x:
        break
    continue
