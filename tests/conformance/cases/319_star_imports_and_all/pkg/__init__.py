"""Package."""
__all__ = ['sub']
from . import sub as _s
