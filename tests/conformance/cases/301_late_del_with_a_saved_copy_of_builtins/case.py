import builtins
import os
import sys

sys.saved = dict(vars(builtins))
for name, value in list(vars(builtins).items()):
    pass
sys.value = value


class Late:
    def __del__(self, write=os.write):
        try:
            self.missing
        except AttributeError:
            write(1, b'handled\n')
        for i in range(2):
            try:
                raise_it()
            except KeyError:
                write(1, b'key\n')


def raise_it():
    return {}['x']


sys.late = Late()
builtins.late = Late()
os.late = Late()
print('end', flush=True)
