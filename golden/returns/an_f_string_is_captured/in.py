def f(x):
    return f"{x}"
