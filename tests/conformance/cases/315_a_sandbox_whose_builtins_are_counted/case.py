import os
import types

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
with open(path) as file:
    code = compile(file.read(), path, 'exec')
asked = []


def recording(name, *args):
    asked.append(name)
    raise ImportError('no ' + name)


own = {'ValueError': ValueError, 'int': int}
exec(code, {'__builtins__': own})
print(sorted(own))
own = {'ValueError': ValueError, 'int': int, '__import__': recording}
exec(code, {'__builtins__': own})
print(sorted(own), asked)
module = types.ModuleType('small')
module.ValueError, module.int = ValueError, int
space = {'__builtins__': module}
exec(code, space)
print(space['result'], sorted(n for n in vars(module) if n[0] != '_'))
