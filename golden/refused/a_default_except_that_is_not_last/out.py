try:
    a()
except:
    b()
except C:
    d()
