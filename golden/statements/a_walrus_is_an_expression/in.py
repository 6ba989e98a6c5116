print(y := f(1), y)
