def f(x):
    return (
        x  # one
        + 1
    )
