try:
    result = int('x')
except ValueError:
    result = None
