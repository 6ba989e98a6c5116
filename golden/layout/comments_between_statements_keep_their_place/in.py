# first
a()
# between

# after a blank line
b()
# last
