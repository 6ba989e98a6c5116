import os
import types

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
with open(path) as file:
    code = compile(file.read(), path, 'exec')


def names(mapping):
    return sorted(n for n in mapping if n != '__builtins__')


space = {}
exec(code, space)
print(names(space), space['result'])
outer, inner = {'given': 1}, {}
exec(code, outer, inner)
print(names(outer), names(inner), inner['result'])


def in_function():
    x = 1
    exec(code)
    return names(locals())


print(in_function())
reduced = {'__builtins__': {'int': int, 'ValueError': ValueError, 'len': len}}
exec(code, reduced)
print(names(reduced), reduced['result'])
module = types.ModuleType('made')
exec(code, module.__dict__)
print(names(vars(module)))
Made = types.new_class('Made', (), {}, lambda ns: exec(code, {}, ns))
print(Made.result, Made.f is not None)
try:
    exec(code, {'__builtins__': {}})
except NameError as e:
    print(e)
