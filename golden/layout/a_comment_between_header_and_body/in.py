if a:  # on the header
    # below the header
    b()
    # at the end of the suite
# after it
c()
