a()
yield 1
