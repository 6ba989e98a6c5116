a("# healc: skip")
b("""
# healc: off
""")
