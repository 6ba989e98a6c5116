# healc: on
a()
