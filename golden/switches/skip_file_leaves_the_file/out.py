# healc: skip-file
a()
