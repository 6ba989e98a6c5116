if (
    a
    and b
):  # healc: skip
    c()
d()
