import sys
try:
    value = [1, 2][5]
except IndexError:
    value = 'handled'
sys.stdout.write(value + ' ' + __name__ + '\n')
if value == 'handled':
    raise SystemExit(4)
