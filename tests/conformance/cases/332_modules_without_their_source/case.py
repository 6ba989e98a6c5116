import compileall
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.mkdtemp()
shutil.copytree(os.path.join(here, 'pkg'), os.path.join(folder, 'pkg'))
print(bool(compileall.compile_dir(folder, quiet=1, legacy=True)))
for root, _, files in os.walk(folder):
    for name in files:
        if name.endswith('.py'):
            os.unlink(os.path.join(root, name))
script = 'import pkg.a; print(pkg.a.f(1), pkg.a.__doc__, sorted(n for n in vars(pkg.a) if n[:2] != "__")); pkg.a.f("x")'
for flags in ([], ['-I']):
    child = subprocess.Popen([sys.executable] + flags + ['-c', 'import sys; sys.path.insert(0, %r); ' % folder + script],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd='/')
    out, err = child.communicate()
    print(child.returncode, out.decode().strip(), err.decode().splitlines()[-1])
child = subprocess.Popen([sys.executable, os.path.join(folder, 'pkg', 'a.pyc')], stdout=subprocess.PIPE)
print(child.communicate()[0].decode().strip())
