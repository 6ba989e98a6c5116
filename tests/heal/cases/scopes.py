"""Locals, cells, class and module scope."""
#? crash KeyError local
#? probe sorted(table) -> value ['a']
#? probe x = 5 -> value None
#? probe x + 1 -> error execution NameError
#? heal x = 7 -> resumed
#? crash ZeroDivisionError cell
#? heal count = 40 -> resumed
#? crash AttributeError class
#? heal size = 3 -> resumed
#? crash ValueError module
#? heal limit = 9 -> resumed
#? crash IndexError returned
#? heal x = 1 -> error return-value _eh_rtn
#? heal _eh_rtn = 'healed' -> returned
#? crash IndexError inline
#? heal _eh_rtn = y + 1 -> returned
#? crash TypeError early
#? heal _eh_rtn = 'early' -> returned
#? crash KeyError unbound
#? heal later = 4 -> resumed


def local(table):
    x = table['b']  # local
    return x


assert local({'a': 1}) == 7


def counter():
    count = 0

    def step(n):
        nonlocal count
        count = count + 1 // n  # cell
        return count
    return step


assert counter()(0) == 40


class Sized:
    base = None
    size = base.size  # class
    more = size + 1


assert (Sized.size, Sized.more) == (3, 4)
limit = int('many')  # module
assert limit == 9


def returned(items):
    return items[3]  # returned


assert returned([]) == 'healed'


def inline(y):
    try:
        return [][y]  # inline
    finally:
        y = 0


assert inline(5) == 6


def early(items):
    n = len(items)  # early
    return n


assert early(3) == 'early'


def unbound(table):
    global later
    later = table['later']  # unbound


unbound({})
assert later == 4
print('ok')
