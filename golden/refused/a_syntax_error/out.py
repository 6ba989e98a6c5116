a()
b(
c()
