import os
import subprocess
import sys
import tempfile
import zipfile

here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.mkdtemp()
library = os.path.join(folder, 'lib.zip')
program = os.path.join(folder, 'app.zip')
with zipfile.ZipFile(library, 'w') as z:
    for name in ('__init__.py', '__main__.py', 'core.py', 'data.txt'):
        z.write(os.path.join(here, 'app', name), 'app/' + name)
with zipfile.ZipFile(program, 'w') as z:
    z.write(os.path.join(here, 'app', 'core.py'), 'core.py')
    z.write(os.path.join(here, 'app', '__main__.py'), '__main__.py')


def run(*command):
    child = subprocess.Popen([sys.executable] + list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd=folder, env={})
    out, err = child.communicate()
    lines = err.decode().splitlines()
    print(child.returncode, out.decode().split(), lines[-1:])


run(program)
run('-I', program)
run('-c', 'import sys; sys.path.insert(0, %r); import app.core; print(app.core.go("zip"))' % library)
run('-I', '-c', 'import sys; sys.path.insert(0, %r); import app.core; app.core.fail()' % library)
run('-c', 'import sys; sys.path.insert(0, %r); import runpy; runpy.run_module("app", run_name="__main__")' % library)
sys.path.insert(0, library)
import app.core
print(app.core.__file__.endswith('lib.zip/app/core.py'), app.core.data())
try:
    app.core.fail()
except LookupError as e:
    print(repr(e))
