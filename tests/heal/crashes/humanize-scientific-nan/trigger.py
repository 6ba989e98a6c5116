import humanize

assert humanize.scientific(float('nan')) == 'NaN'
assert humanize.scientific(1000) == '1.00 x 10\u00b3'
