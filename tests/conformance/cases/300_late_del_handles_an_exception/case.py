import sys
import builtins
import os


class Late:
    def __init__(self, name, write=os.write):
        self.name = name
        self.write = write

    def __del__(self):
        try:
            self.missing
        except AttributeError as e:
            self.write(1, (self.name + ' handled\n').encode())
        try:
            helper(self.write)
        except BaseException as e:
            self.write(1, (self.name + ' ' + type(e).__name__ + '\n').encode())


def helper(write):
    try:
        {}['x']
    finally:
        write(1, b'finally\n')


class Cycle(Late):
    def __init__(self, name):
        Late.__init__(self, name)
        self.me = self


one = Late('global')
two = Cycle('cycle')
builtins.three = Late('builtins')
sys.four = Late('sys')
os.five = Late('os')
print('end', flush=True)
