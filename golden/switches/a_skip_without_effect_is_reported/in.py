a()
# healc: skip
b()
x = 1  # healc: skip
