try:
    a()
except:
    b()
