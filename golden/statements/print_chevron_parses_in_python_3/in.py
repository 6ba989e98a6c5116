import sys
print >>sys.stderr, "x"
