def f(x):
    if x: return x + 2
    else: return x#end