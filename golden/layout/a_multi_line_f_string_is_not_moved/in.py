if a:
    b(f"""one {x
    }
two""")
