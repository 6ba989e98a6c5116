a()
# healc: off
b()
