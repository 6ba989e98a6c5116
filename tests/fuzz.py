#!/usr/bin/env python3
"""Mutated layouts of real files through healc: every one must be proven, and compile as before.

    tests/fuzz.py [--seed N] [--rounds N] [--files N] [--python X]

Takes files of X's own library, changes their layout in ways that keep their meaning (line ends,
tabs, form feeds, semicolons, suites on the header's line, comments, continuations, no final line
end), instruments a folder of them at once, and compares syntax trees with CPython's own parser:
the instrumented file with our nodes taken out must be the mutated original. Ends with
`N passed, N failed`.
"""
import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tokenize
from io import BytesIO
from pathlib import Path

HEALC = os.environ.get('HEALC') or str(Path(__file__).resolve().parent.parent / 'target/release/healc')


# ------------------------------------------------------------------------------------ mutations

def logical_lines(text):
    """(first physical line, last physical line) of each logical line, both from 0."""
    lines, first = [], None
    for token in tokenize.tokenize(BytesIO(text.encode('utf-8')).readline):
        if token.type in (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.INDENT,
                          tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        if first is None:
            first = token.start[0] - 1
        if token.type == tokenize.NEWLINE:
            lines.append((first, token.end[0] - 1))
            first = None
    return lines


COMPOUND = re.compile(r'\s*(async\b|class\b|def\b|for\b|while\b|if\b|elif\b|else\b|try\b|except\b|'
                      r'finally\b|with\b|match\b|case\b|@)')


def simple_lines(text):
    """Numbers of physical lines that are one simple statement, without a comment."""
    rows = text.split('\n')
    for first, last in logical_lines(text):
        row = rows[first]
        if first == last and not COMPOUND.match(row) and '#' not in row and row.strip():
            yield first


def indent(row):
    return row[:len(row) - len(row.lstrip())]


def join_statements(text, rng):
    """`a` and `b` on lines of their own become `a; b`."""
    rows, simple = text.split('\n'), set(simple_lines(text))
    at = len(rows) - 2
    while at > 0:
        both = at in simple and at - 1 in simple
        if both and indent(rows[at]) == indent(rows[at - 1]) and rng.random() < 0.3:
            rows[at - 1] = rows[at - 1].rstrip().rstrip(';') + rng.choice(['; ', ';', ' ;  ']) + rows.pop(at).strip()
        at -= 1
    return '\n'.join(rows)


def inline_suites(text, rng):
    """A suite of one simple line goes to its header's line."""
    rows, simple = text.split('\n'), set(simple_lines(text))
    headers = {last: first for first, last in logical_lines(text)}
    at = len(rows) - 2
    while at > 0:
        header = rows[at - 1].rstrip()
        inner, after = indent(rows[at]), next((r for r in rows[at + 1:] if r.strip()), '')
        alone = not after or len(indent(after).expandtabs()) < len(inner.expandtabs())
        if (at in simple and alone and at - 1 in headers and COMPOUND.match(rows[headers[at - 1]])
                and header.endswith(':') and '#' not in header
                and len(indent(rows[headers[at - 1]]).expandtabs()) < len(inner.expandtabs())
                and rng.random() < 0.5):
            rows[at - 1] = header + rng.choice([' ', '', '  ', ' \\\n   ']) + rows.pop(at).strip()
        at -= 1
    return '\n'.join(rows)


def sprinkle(text, rng):
    """Comments, blank lines and form feeds between logical lines."""
    rows, out = text.split('\n'), []
    starts = {first for first, _ in logical_lines(text)}
    for number, row in enumerate(rows):
        if number in starts and number > 2 and rng.random() < 0.15:
            out.append(rng.choice(['', '   ', '# c', '        # deep', '\t# tab', '\x0c', indent(row) + '# é €']))
        if number in starts and number > 2 and rng.random() < 0.02:
            row = '\x0c' + row
        out.append(row)
    return '\n'.join(out)


def continuations(text, rng):
    """`a = b` becomes `a \\<newline> = b`."""
    rows = text.split('\n')
    for at in simple_lines(text):
        if rng.random() < 0.1 and ' = ' in rows[at] and not re.search(r'["\']', rows[at]):
            rows[at] = rows[at].replace(' = ', rng.choice([' \\\n = ', ' = \\\n', ' = \\\n      ']), 1)
    return '\n'.join(rows)


def tabs(text, rng):
    """Leading groups of four blanks become tabs on all logical lines."""
    rows = text.split('\n')
    for first, _ in logical_lines(text):
        blanks = indent(rows[first])
        if len(blanks) % 4 or '\t' in blanks:
            return text
    for first, _ in logical_lines(text):
        blanks = indent(rows[first])
        rows[first] = '\t' * (len(blanks) // 4) + rows[first][len(blanks):]
    return '\n'.join(rows)


MUTATIONS = [join_statements, inline_suites, sprinkle, continuations, tabs]


def mutate(text, rng):
    """A file with the same meaning, or None."""
    for mutation in rng.sample(MUTATIONS, rng.randint(1, 3)):
        changed = mutation(text, rng)
        try:
            if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text)):
                text = changed
        except (SyntaxError, ValueError):
            pass
    if rng.random() < 0.2:
        text = text.rstrip('\n')
    data = text.encode('utf-8')
    if rng.random() < 0.4 and b'\\\n' not in data:
        data = data.replace(b'\n', rng.choice([b'\r\n', b'\r']))
    if rng.random() < 0.1:
        data = b'\xef\xbb\xbf' + data
    return data


# ------------------------------------------------------------------------------------ comparing

def is_ours(node):
    handler = node.handlers[0] if isinstance(node, ast.Try) and len(node.handlers) == 1 else None
    return handler and handler.type is not None and ast.dump(handler.type).find("'__eh__'") >= 0


class Peel(ast.NodeTransformer):
    """Takes our nodes out of a tree."""

    def peel(self, body):
        out, at = [], 0
        while at < len(body):
            node = body[at]
            if isinstance(node, ast.Try) and is_ours(node):
                inner = node.body[0]
                captured = (isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name)
                            and inner.targets[0].id == '_eh_rtn')
                if captured:
                    inner = ast.Return(value=inner.value)
                    at += 1
                out.append(inner)
            elif not (isinstance(node, ast.Try) and '_eh_runtime' in ast.dump(node)):
                out.append(node)
            at += 1
        return [self.visit(node) for node in out]

    def generic_visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self.peel(value))
            elif isinstance(value, list):
                setattr(node, field, [self.visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node


def same(original, output):
    return ast.dump(ast.parse(original)) == ast.dump(Peel().visit(ast.parse(output)))


def invalid(original):
    """Parsed, but not compiled, by CPython."""
    try:
        compile(original, 'm.py', 'exec', dont_inherit=True)
    except SyntaxError:
        return True
    return False


# ------------------------------------------------------------------------------------- the runs

def round_of(rng, files, passed, failures):
    with tempfile.TemporaryDirectory() as work:
        repo, out = Path(work, 'repo'), Path(work, 'out')
        repo.mkdir()
        for number, path in enumerate(files):
            try:
                text = path.read_bytes().decode('utf-8').replace('\r\n', '\n')
                ast.parse(text)
                Path(repo, 'm%d.py' % number).write_bytes(mutate(text, rng))
            except (SyntaxError, ValueError, tokenize.TokenError):
                continue
        run = subprocess.run([HEALC, 'instrument', str(repo), '-o', str(out), '--isolated', '-q', '--thorough',
                              '--include', '**', '--target-python', '3.14'],
                             capture_output=True, text=True, errors='replace')
        manifest = json.loads(Path(out, '.healc/manifest.json').read_text('utf-8'))
        for name, entry in sorted(manifest['files'].items()):
            original = Path(repo, name).read_bytes()
            try:
                ok = (entry['state'] == 'unchanged' or entry['state'] == 'skipped' and invalid(original)
                      or entry['state'] == 'instrumented'
                      and same(original, Path(out, name).read_bytes()))
            except SyntaxError as error:
                ok, entry = False, error
            if ok:
                passed.append(name)
            else:
                failures.append((files[int(name[1:-3])], original, entry, run.stderr[-500:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--files', type=int, default=100)
    parser.add_argument('--keep', type=Path, help='folder for inputs that fail')
    args = parser.parse_args()
    sys.setrecursionlimit(20000)
    rng = random.Random(args.seed)
    library = sorted(p for p in Path(ast.__file__).parent.rglob('*.py') if 'site-packages' not in p.parts)
    passed, failures = [], []
    for _ in range(args.rounds):
        round_of(rng, rng.sample(library, args.files), passed, failures)
    for number, (path, original, entry, stderr) in enumerate(failures):
        print('%s: %s\n%s' % (path, entry if isinstance(entry, Exception) else entry.get('diagnostics'), stderr))
        if args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            Path(args.keep, '%d_%s' % (number, path.name)).write_bytes(original)
    print('%d passed, %d failed' % (len(passed), len(failures)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
