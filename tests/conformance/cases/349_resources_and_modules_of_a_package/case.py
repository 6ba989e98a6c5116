import importlib
import os
import pkgutil

import plugins

here = os.path.dirname(os.path.abspath(__file__))
print(sorted(m.name if hasattr(m, 'name') else m[1] for m in pkgutil.iter_modules(plugins.__path__)))
found = []
for _, name, is_package in pkgutil.walk_packages(plugins.__path__, 'plugins.'):
    module = importlib.import_module(name)
    found.append((name, is_package, getattr(module, 'value', None)))
print(sorted(found))
print(sorted(n for n in os.listdir(os.path.join(here, 'plugins')) if n != '__pycache__'))
print(sorted(n for n in os.listdir(os.path.join(here, 'plugins', 'deep')) if n != '__pycache__'))
print(pkgutil.get_data('plugins', 'data.json').decode().strip())
try:
    from importlib import resources
    text = resources.read_text('plugins', 'data.json')
except (ImportError, AttributeError):
    text = pkgutil.get_data('plugins', 'data.json').decode()
print(text.strip())
total = 0
for root, folders, files in os.walk(os.path.join(here, 'plugins')):
    total += sum(name.endswith('.py') for name in files)
print(total)
