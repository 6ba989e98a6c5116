"""positions.py LIBRARY OVERLAY [EVERY]: run by each interpreter over its own library.

For each instrumented file: exact mode's code has a counterpart for each code object of
the original, with the same name, first line, set of lines and (3.11+) positions; and
(every EVERYth file) it is the overlay's code apart from its positions.

One kind of difference is counted apart: "unreachable" lines, which the original's
compiler drops since nothing leads there (`raise X; y()`), and which healing can reach.
"""
import dis
import json
import os
import sys
import warnings
from types import CodeType

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *'../../src/runtime'.split('/')))
from _eh_runtime import _exact_build as build  # noqa: E402

warnings.simplefilter('ignore')
PAIRS = 'LOAD_FAST_LOAD_FAST', 'STORE_FAST_LOAD_FAST', 'STORE_FAST_STORE_FAST'  # 3.13
JUMPS = set(dis.hasjrel + dis.hasjabs)


def is_ours(code):
    return code.co_name == '<lambda>' and code.co_names == ('__eh__',)


def inner(code):
    return [c for c in code.co_consts if type(c) is CodeType and not is_ours(c)]


def is_preamble(code):
    names = set(code.co_names)
    return code.co_name == '<lambda>' and code.co_firstlineno < 10**6 and (
        '__import__' in names or '__builtins__' in names)


def lines(code):
    if hasattr(code, 'co_lines'):
        return {line for start, end, line in code.co_lines() if line is not None and end > start}
    return {line for _, line in dis.findlinestarts(code)}


def positions(code):
    return {p for p in code.co_positions() if None not in p} if hasattr(code, 'co_positions') else set()


def counterparts(old, new, path, problems, counts):
    counts['code'] += 1
    for what in 'co_name', 'co_qualname', 'co_firstlineno', 'co_filename', 'co_argcount', 'co_flags', \
            'co_freevars', 'co_cellvars':
        if getattr(old, what, None) != getattr(new, what, None):
            problems.append((path, old.co_name, what, getattr(old, what), getattr(new, what)))
    a, b = lines(old), lines(new)
    if a != b:
        kind = 'unreachable' if a < b else 'lines'
        counts[kind] += 1
        problems.append((path, old.co_name, old.co_firstlineno, sorted(a - b), sorted(b - a), kind))
    else:
        p, q = positions(old), positions(new)
        # More of them is no harm: instructions that the original has as one.
        if not p <= q:
            counts['positions'] += 1
            problems.append((path, old.co_name, old.co_firstlineno, 'positions', sorted(p - q), sorted(q - p)))
    olds, news = inner(old), inner(new)
    if len(olds) != len(news):
        # Code that the original drops as unreachable, and ours reaches after healing.
        names = [(c.co_name, c.co_firstlineno) for c in olds]
        counts['unreachable'] += 1
        news = [c for c in news if (c.co_name, c.co_firstlineno) in names]
        if len(olds) != len(news):
            problems.append((path, old.co_name, 'missing code objects'))
            return
    for a, b in zip(olds, news):
        counterparts(a, b, path, problems, counts)


def shape(code):
    """What a code object does, apart from where it stands."""
    found = []
    for i in dis.get_instructions(code):
        if i.opname in ('NOP', 'EXTENDED_ARG', 'CACHE'):
            continue
        value = None if i.opcode in JUMPS else i.argval
        if type(value) is CodeType:
            value = value.co_name
        elif i.opname == 'LOAD_CONST' and found and type(value) is int:
            value = int  # 3.13 has the first line of a class as a constant
        if i.opname in PAIRS:
            found += zip(i.opname.replace('_FAST_', '_FAST ').split(), map(repr, value))
            continue
        name = 'JUMP' if i.opname in ('JUMP_FORWARD', 'JUMP_ABSOLUTE') else i.opname
        found.append((name, repr(value)))
    return found


def same_as_overlay(a, b, path, problems, counts):
    if sys.version_info < (3, 10) and (255 in a.co_lnotab or 255 in b.co_lnotab):
        return  # with such a line table the optimiser does nothing
    counts['compared'] += 1
    x, y = shape(a), shape(b)
    if a.co_name == '<module>':
        # There the preamble comes on top: take away what is not in both.
        rest = iter(y)
        if len(y) - len(x) < 80 and all(one in rest for one in x):
            y = x
    if x != y:
        counts['overlay'] += 1
        at = next((i for i, (s, t) in enumerate(zip(x, y)) if s != t), min(len(x), len(y)))
        problems.append((path, a.co_name, a.co_firstlineno, 'not the overlay', len(x), len(y), at, x[at:at + 4], y[at:at + 4]))
    news, olds = inner(a), inner(b)
    if a.co_name == '<module>':
        olds = [c for c in olds if not is_preamble(c)]
    if [c.co_name for c in news] != [c.co_name for c in olds]:
        problems.append((path, a.co_name, 'nested code of the overlay differs'))
        return
    for c, d in zip(news, olds):
        same_as_overlay(c, d, path, problems, counts)


def main():
    library, overlay, every = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10
    with open(os.path.join(overlay, '.healc/manifest.json')) as f:
        files = json.load(f)['files']
    problems, counts = [], dict.fromkeys(
        ('files', 'code', 'not compiled', 'unreachable', 'lines', 'positions', 'compared', 'overlay'), 0)
    for n, (path, entry) in enumerate(sorted(files.items())):
        if entry['state'] != 'instrumented':
            continue
        with open(os.path.join(library, path), 'rb') as f:
            source = f.read()
        try:
            old = compile(source, path, 'exec', 0, True)
        except SyntaxError:
            continue  # on purpose, or of a newer version
        counts['files'] += 1
        with open(os.path.join(overlay, '.healc/sites', path + '.json'), encoding='utf-8') as f:
            sites = json.load(f)['sites']
        try:
            new = build.build(source, path, sites)
        except Exception as error:
            counts['not compiled'] += 1
            problems.append((path, '%s: %s' % (type(error).__name__, error)))
            continue
        counterparts(old, new, path, problems, counts)
        if n % every == 0:
            with open(os.path.join(overlay, path), 'rb') as f:
                text = f.read()
            same_as_overlay(new, compile(text, path, 'exec', 0, True), path, problems, counts)
    print(json.dumps({'counts': counts, 'problems': problems}, default=repr))


main()
