try:
    a()
except B:
    c()
    # in the handler
  # odd
# module
finally:
    d()
