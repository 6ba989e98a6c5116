# one
# two
# coding: latin-1
a("é")
