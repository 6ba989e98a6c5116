class C: x = 1; y = 2
f()
