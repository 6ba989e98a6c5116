class C(metaclass=M):
    x = 1
    y = x + 1
