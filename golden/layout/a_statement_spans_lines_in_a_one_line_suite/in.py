if a: b(
    1,
    2)
else: c("""
text
"""); d()
