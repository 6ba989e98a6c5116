class C: x = f(); y = 1
