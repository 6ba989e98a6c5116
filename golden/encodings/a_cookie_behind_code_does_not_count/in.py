a("é")
# coding: latin-1
