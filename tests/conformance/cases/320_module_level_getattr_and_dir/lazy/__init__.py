import importlib

known = str(1)
asked = []


def __getattr__(name):
    asked.append(name)
    if name == 'dynamic':
        return name.upper()
    if name == 'broken':
        return 1 / 0
    if name == 'heavy':
        return importlib.import_module('.heavy', __name__)
    raise AttributeError('lazy has no ' + name)


def __dir__():
    return ['b', 'a']
