import humanize

assert humanize.precisedelta(0) == '0 seconds'
assert humanize.precisedelta(61) == '1 minute and 1 second'
