"""Frames in the original's coordinates: paths, lines and text.

In exact mode they are what the frame says. Code of an overlay is led back by its source map; the
original's text comes from the repository (EH_REPO) if that is still what was instrumented, else it
is put together from the parts of it that the overlay's file holds.
"""
from _eh_runtime import _sites

_DIGITS = {c: i for i, c in enumerate(
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')}
_LARGEST = 4 << 20  # of a source file


class Place:
    """One file: `path` in the repository (None: not one of its), `line(n)`, `text(first, last)`."""

    def __init__(self, filename, repo):
        self.filename, self.path, self.lines, self.map = filename, None, None, None
        table = _sites.table(filename)
        if table is None:
            return
        self.path = table['path']
        folder = _sites.folder(filename, table)
        if folder is None:  # exact mode
            return
        try:
            text = _sites.read('%s/.healc/maps/%s.map' % (folder, self.path))
            self.map = _lines(_sites._decode(text.decode('utf-8'))['mappings'])
            emitted = _text(_sites.read('%s/%s' % (folder, self.path)))
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            self.map = {}
            return
        self.lines = _verified(repo, table)
        if self.lines is None:
            self.lines = _rebuilt(self.map, emitted)
        self.map = {line: parts[0][1] for line, parts in self.map.items()}

    def line(self, number):
        if self.map is None:
            return number
        while number > 0:  # ours belong to what is before them
            if number in self.map:
                return self.map[number]
            number -= 1
        return 1

    def text(self, first, last):
        if self.lines is None:
            try:
                data = _sites.read(_sites.absolute(self.filename))
                self.lines = _text(data) if len(data) <= _LARGEST else []
            except (OSError, ValueError):
                self.lines = []
        return '\n'.join(self.lines[max(0, first - 1):last])


def _text(data):
    name = 'utf-8'
    for line in data.split(b'\n', 2)[:2]:
        before, found, after = line.partition(b'coding')
        if found and before.lstrip().startswith(b'#') and after[:1] in (b':', b'='):
            word = after[1:].lstrip()
            end = 0
            while end < len(word) and (word[end:end + 1].isalnum() or word[end:end + 1] in b'-_.'):
                end += 1
            name = word[:end].decode('ascii') or name
    try:
        text = data.decode(name)
    except (LookupError, ValueError):
        text = data.decode('utf-8', 'replace')
    if text[:1] == '\ufeff':
        text = text[1:]
    return text.replace('\r\n', '\n').replace('\r', '\n').split('\n')


def _lines(mappings):
    """{emitted line: [(emitted column, original line, original column), ...]}, from 1 and 0."""
    found, source = {}, [0, 0, 0]  # file, line, column
    for number, line in enumerate(mappings.split(';'), 1):
        column = 0
        for segment in line.split(',') if line else ():
            values, value, shift = [], 0, 0
            for char in segment:
                digit = _DIGITS[char]
                value |= (digit & 31) << shift
                shift += 5
                if not digit & 32:
                    values.append(-(value >> 1) if value & 1 else value >> 1)
                    value = shift = 0
            column += values[0]
            if len(values) > 3:
                for i in range(3):
                    source[i] += values[i + 1]
                found.setdefault(number, []).append((column, source[1] + 1, source[2]))
            elif number in found:  # ours begins here
                found[number].append((column, 0, 0))
    return found


def _verified(repo, table):
    if not repo:
        return None
    try:
        from hashlib import sha256
        data = _sites.read('%s/%s' % (repo, table['path']))
        if len(data) <= _LARGEST and sha256(data).hexdigest() == table['source_sha256']:
            return _text(data)
    except (OSError, ValueError, KeyError):
        pass
    return None


def _rebuilt(lines, emitted):
    text = {}
    for number, parts in lines.items():
        if number > len(emitted):
            continue
        row = emitted[number - 1]
        for i, (column, line, at) in enumerate(parts):
            if line:
                end = parts[i + 1][0] if i + 1 < len(parts) else len(row)
                have = text.get(line, '')
                text[line] = have.ljust(at) + row[column:end]
    return [text.get(i, '').rstrip() for i in range(1, max(text, default=0) + 1)]
