import sqlparse

assert sqlparse.format('  ', reindent_aligned=True).strip() == ''
assert 'select a' in sqlparse.format('select a from b', reindent_aligned=True)
