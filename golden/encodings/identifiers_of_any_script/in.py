π = f(1)
def größe(naïve): return naïve
