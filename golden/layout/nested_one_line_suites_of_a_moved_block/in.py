while a:
    if b: continue
    elif c: break
    else: d(); e()
