if a:
        b()
	c()
