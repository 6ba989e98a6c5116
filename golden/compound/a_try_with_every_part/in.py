try:
    a()
except (B, C) as e:
    d()
except F:
    g()
else:
    h()
finally:
    i()
