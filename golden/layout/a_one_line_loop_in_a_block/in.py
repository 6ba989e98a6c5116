def f():
    for x in y: g(x); h(x)
    else: i()
    while j(): k()
