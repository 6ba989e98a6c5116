a()
# end