"""A submission that fails leaves objects as they were."""
#? crash KeyError here
#? heal items.append(4);;table.clear();;things.x = 9;;slotted.y = 9;;seen.add(5);;row.append(1);;raise ValueError -> error execution ValueError
#? probe [items, table, things.x, slotted.y, sorted(seen), list(row)] -> value [[1, 2, [3]], {'a': 1}, 1, 2, [1], [7]]
#? heal items[2].append(9);;change();;fail_now -> error execution NameError
#? heal while True: items.append(1) -> error timeout
#? probe [items, STATE] -> value [[1, 2, [3]], {'on': True}]
#? heal x = len(items) -> resumed
import collections


class Things:
    pass


class Slotted:
    __slots__ = 'y', 'z'


STATE = {'on': True}


def change():
    STATE['on'] = False
    STATE['more'] = 1


def here(items, table, things, slotted, seen, row):
    x = table['b']  # here
    return x


things, slotted = Things(), Slotted()
things.x, slotted.y = 1, 2
assert here([1, 2, [3]], {'a': 1}, things, slotted, {1}, collections.deque([7])) == 3
print('ok')
