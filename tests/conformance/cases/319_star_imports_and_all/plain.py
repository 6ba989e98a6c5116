import os as _os
public = _os.path.join('a', 'b')
_private = public.upper()


def function():
    return _private


for loop in range(2):
    pass
