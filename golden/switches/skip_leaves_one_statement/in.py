a()  # healc: skip
b()
