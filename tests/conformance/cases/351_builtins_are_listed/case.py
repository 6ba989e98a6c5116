import builtins
import sys

print([n for n in dir(builtins) if n.startswith('__')])
print([n for n in sys.modules if n.startswith('_e')])
def f(): return 1 // 0
print(f.__code__.co_names, len(f.__code__.co_consts))
print(__he__)
