import pkgutil


def go(name):
    try:
        fail()
    except KeyError:
        return 'went-' + name


def fail():
    return {}['zip']


def data():
    return pkgutil.get_data('app', 'data.txt').decode().strip()
