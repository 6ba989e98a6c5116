@a(1)
class C(B, metaclass=M()):
    pass
