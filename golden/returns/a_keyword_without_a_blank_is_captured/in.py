def f(x):
    if x:
        return(x)
    if g():
        return-x
    if h():
        return[x]
    return"a" "b" % x
