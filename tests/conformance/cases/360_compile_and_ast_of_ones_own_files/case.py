import ast
import os
import py_compile
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
for name in ('case.py', 'other.py'):
    path = os.path.join(here, name)
    with open(path, 'rb') as file:
        data = file.read()
    for level in (0, 1, 2):
        compile(data, path, 'exec', 0, True, level)
    tree = ast.parse(data)
    print(name, ast.get_docstring(tree), sorted(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)))
    handle, target = tempfile.mkstemp()
    os.close(handle)
    print(bool(py_compile.compile(path, target, doraise=True)))
import other
print(other.f(1), other.C.g.__doc__)
