import os
import types

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
with open(path) as file:
    code = compile(file.read(), path, 'exec')
module = types.ModuleType('small')
module.ValueError, module.int = ValueError, int
space = {'__builtins__': module}
exec(code, space)
print(space['result'])
