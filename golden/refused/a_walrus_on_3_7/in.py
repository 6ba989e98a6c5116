print(x := f())
