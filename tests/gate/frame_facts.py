"""What the runtime tells the gate about the names of a frame: standard library, 3.6 and later.

    frame_facts(namespace) -> {"modules": {name: module name}, "shadowed": [name, ...]}

`modules` are all names that are bound to modules, whatever they are called. `shadowed` are names
of built-ins and modules that are bound to something else, such as a parameter called `input`.
A name that is bound to a built-in function or class of any name is not shadowed: it may be the
dangerous one. Types are asked for past `__class__`, and no attribute of a value is read but a
module's own `__name__`.
"""
import builtins
import sys
from types import BuiltinFunctionType, ModuleType

_BUILTINS = {id(value) for value in vars(builtins).values()}


def frame_facts(namespace):
    modules, shadowed = {}, []
    for name, value in list(namespace.items()):
        if not isinstance(name, str) or name == '__builtins__':
            continue
        kind = type(value)
        if issubclass(kind, ModuleType):
            own = ModuleType.__getattribute__(value, '__dict__').get('__name__')
            modules[name] = own if isinstance(own, str) else name
        elif (name in vars(builtins) or name in sys.modules) \
                and id(value) not in _BUILTINS and not issubclass(kind, BuiltinFunctionType):
            shadowed.append(name)
    return {'modules': modules, 'shadowed': sorted(shadowed)}


if __name__ == '__main__':
    import os
    import os.path
    assert frame_facts({'o': os, 'p': os.path, 'input': 3, 'dir': eval, 'sys': 'x', 'x': 1,
                        'vars': [].append, '__builtins__': {}}) == {
        'modules': {'o': 'os', 'p': os.path.__name__}, 'shadowed': ['input', 'sys']}
