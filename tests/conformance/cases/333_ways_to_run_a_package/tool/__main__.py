import sys
from tool.part import name
print(__name__, __package__, sys.argv[1:], name())
if len(sys.argv) > 1:
    sys.exit('message')
