import os
import builtins

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
with open(path) as file:
    code = compile(file.read(), path, 'exec')


class Inventive(dict):
    def __init__(self):
        self.asked = []

    def __missing__(self, name):
        self.asked.append(name)
        if hasattr(builtins, name) and name[0] != '_':
            raise KeyError(name)
        return 'made-up ' + name


space = Inventive()
exec(code, {}, space)
print(space.asked, sorted(space))
