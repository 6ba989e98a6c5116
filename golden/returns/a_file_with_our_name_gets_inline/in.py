def f(x):
    _eh_rtn = 1
    return x
