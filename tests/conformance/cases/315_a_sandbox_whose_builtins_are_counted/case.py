import os

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'text.py')
with open(path) as file:
    code = compile(file.read(), path, 'exec')
own = {'ValueError': ValueError, 'int': int}
space = {'__builtins__': own}
exec(code, space)
print(sorted(own), sorted(space))
