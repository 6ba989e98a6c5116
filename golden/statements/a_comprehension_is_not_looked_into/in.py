x = [f(y) for y in z if y]
