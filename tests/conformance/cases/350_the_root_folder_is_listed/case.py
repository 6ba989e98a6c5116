import os
import pkgutil

here = os.path.dirname(os.path.abspath(__file__))
print(sorted(n for n in os.listdir(here) if n != '__pycache__'))
print(sorted(m[1] for m in pkgutil.iter_modules([here])))
