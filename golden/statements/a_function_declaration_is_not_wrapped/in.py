@a(1)
def f(x=g(), *, y: h() = i()) -> j():
    pass
