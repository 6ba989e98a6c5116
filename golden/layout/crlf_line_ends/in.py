if a:
    b()
    x = """one
two"""
c()
