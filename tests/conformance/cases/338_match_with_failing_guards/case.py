class Point:
    __match_args__ = ('x', 'y')

    def __init__(self, x, y):
        self.x, self.y = x, y

    @property
    def failing(self):
        raise ValueError('property')


def check(value):
    print('checked', value)
    if value == 'bad':
        raise KeyError(value)
    return value > 1


def f(subject):
    try:
        match subject:
            case Point(x, y) if check(x): return 'point', x, y
            case Point(failing=z): return 'never'
            case [a, b, *rest] if check(a):
                return a, b, rest
            case {'key': v, **others} if v: return v, others
            case str() | bytes() as text:
                return text
            case int(n) if n < 0:
                raise IndexError(n)
            case (1 | 2) as small:
                return 'small'
            case None: return
            case _ if (w := len(repr(subject))) > 5: return w
    except (KeyError, ValueError) as e:
        return type(e).__name__, e.args, sorted(locals())
    except IndexError:
        match str(subject):
            case '-1': return 'minus one'
            case other: return other
    return 'nothing', sorted(locals())


for subject in (Point(5, 6), Point('bad', 1), Point(0, 1), [2, 3, 4], ['bad', 1], [0, 1], {'key': 1, 'z': 2}, {},
                'text', -1, -2, 1, None, 3, 123456):
    print(f(subject))
match = {'case': 1}
match match:
    case {'case': case}: print(case, match)
for x in range(3):
    match x:
        case 0: continue
        case 1: break
print(x)
