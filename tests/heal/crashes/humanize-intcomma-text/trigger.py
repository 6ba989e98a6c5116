import humanize

assert humanize.intcomma('1234.5', 2) == '1,234.50'
assert humanize.intcomma(1234567.891, 1) == '1,234,567.9'
