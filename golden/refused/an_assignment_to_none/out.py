None = f()
