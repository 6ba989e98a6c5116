first = something
try:
    second = int(first)
except ValueError:
    second = 'bad'
