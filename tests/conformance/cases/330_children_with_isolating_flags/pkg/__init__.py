from .mod import code as _code
__version__ = str(1)
