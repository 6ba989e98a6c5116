import os
import types

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
space = {}
with open(path) as file:
    exec(compile(file.read(), path, 'exec'), space)
del space['__builtins__']
try:
    space['divide'](1, 0)
except Exception as e:
    print(type(e).__name__, e)
alone = types.FunctionType(space['divide'].__code__, {})
for args in ((4, 2), (1, 0)):
    try:
        print(alone(*args))
    except Exception as e:
        print(type(e).__name__, e)
print(sorted(space))
