a(
    1,  # healc: skip
)
b()
