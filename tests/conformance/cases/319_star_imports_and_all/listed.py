__all__ = ['one', 'two']
__all__ += ['three']
one, two, three = range(3)
four = 4
__all__.remove('two')
