import sys
import traceback

for text in ('x = = 1', 'if x:\npass', 'f(', '"abc', 'return 1', 'x = (1,\n  2', 'nonlocal x'):
    try:
        exec(text)
    except SyntaxError as e:
        print(type(e).__name__, e.filename)
try:
    import broken
except SyntaxError as e:
    print(e.lineno, e.filename.endswith('broken.py'))
    traceback.print_exc()
eval('1 +')
