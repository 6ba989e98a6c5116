f = lambda x: g(x)
