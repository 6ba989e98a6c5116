class C(metaclass=M):
    type A = list
