if (
    a
    and b
):
    c()
