from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = RED + 1

    @property
    def hue(self):
        return self.value
