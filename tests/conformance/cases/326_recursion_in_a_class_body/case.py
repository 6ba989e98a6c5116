import sys


def deep(n):
    if n:
        return deep(n - 1)
    try:
        class C:
            x = 1 // 0
    except ZeroDivisionError:
        return 'division'


def attempt(n):
    try:
        return deep(n)
    except RecursionError:
        return 'recursion'


sys.setrecursionlimit(120)
results = [attempt(n) for n in range(60, 125)]
sys.setrecursionlimit(1000)
print(results.count('division'), results.count('recursion'))
print(results[0], results[-1])
