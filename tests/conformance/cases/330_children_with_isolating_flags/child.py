import os
import sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pkg import mod
try:
    mod.fail()
except KeyError as e:
    print(e, e.__context__ is None)
print(sorted(n for n in vars(mod) if n[:2] != '__'))
sys.exit(mod.code())
