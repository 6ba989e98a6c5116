def f():
    if a:
  	# odd
        b()
    # even
        c()
