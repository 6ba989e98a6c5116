import importlib
import sys

import state
print(state.count, state.values)
for i in range(2):
    importlib.reload(state)
print(state.count, state.values, sorted(n for n in vars(state) if n[:2] != '__'))
sys.fail_now = True
try:
    importlib.reload(state)
except ValueError as e:
    print(e, state.count, state.after)
del sys.fail_now
import replaced
print(replaced.attribute, type(replaced).__name__)
try:
    import removed
except ImportError as e:
    print(type(e).__name__)
except KeyError as e:
    print('KeyError')
try:
    import half
except ZeroDivisionError:
    print('half' in sys.modules)
sys.half_ok = True
import half
print(half.done)
old = state.function
importlib.reload(state)
print(old is state.function, old.__globals__ is vars(state), old())
