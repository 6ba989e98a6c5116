import sys
try:
    count += 1
except NameError:
    count = 0
values = globals().get('values', []) + [count]
if getattr(sys, 'fail_now', False):
    raise ValueError('reload %d' % count)
after = count


def function():
    return count
