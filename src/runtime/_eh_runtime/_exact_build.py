"""Exact mode, the slow part: compiling an original with handlers in it.

The original text is parsed by the interpreter itself, so that every position is its
own, and the wrappers are put into that tree where the site table says so. Code of
ours has the place of the statement that it serves. But where exceptions only pass
through, it has none, as clean-up code of the interpreter's own: that is no event for
those who trace lines. (It is where they leave the frame, which is to have a line.)

Up to 3.10 a `try` is an instruction that needs a line: it gets the line of the
instruction that follows, by a change of the line table afterwards.
"""
import sys
import _ast
from _ast import Call, ExceptHandler, If, Lambda, Load, Name, Raise, Return, Try, arguments

CodeType = type((lambda: 0).__code__)
VERSION = sys.version_info[:2]
_EXACT_STARTS = VERSION >= (3, 8)  # before, some statements do not say where they start
_TABLES = VERSION <= (3, 10)
_LEAKS = (3, 8) <= VERSION <= (3, 9)  # dropped code sets the line of what comes after it
_NOWHERE = -1 if VERSION >= (3, 10) else 0

_HOOK = '__eh__'
_LOAD = Load()


class Mismatch(Exception):
    """The site table is not one of this text."""


def _place(line, column, end_line, end_column):
    if not _EXACT_STARTS:
        return {'lineno': line, 'col_offset': column}
    return {'lineno': line, 'col_offset': column,
            'end_lineno': end_line, 'end_col_offset': end_column}


def _place_of(node):
    return _place(node.lineno, node.col_offset, getattr(node, 'end_lineno', None),
                  getattr(node, 'end_col_offset', None))


_AT = _place(_NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)


def _number(value, at):
    if VERSION < (3, 8):
        return _ast.Num(n=value, **at)
    return _ast.Constant(value=value, kind=None, **at)


def _no_arguments():
    fields = {'args': [], 'vararg': None, 'kwonlyargs': [], 'kw_defaults': [],
              'kwarg': None, 'defaults': []}
    if VERSION >= (3, 8):
        fields['posonlyargs'] = []
    return arguments(**fields)


def _call(function, args, at):
    return Call(func=function, args=args, keywords=[], **at)


_PLACES = {
    'Expr': 'value', 'If': 'test', 'While': 'test', 'For': 'iter', 'AsyncFor': 'iter',
    'Assign': 'targets', 'Delete': 'targets', 'AnnAssign': 'target', 'Match': 'subject',
    'With': 'items', 'AsyncWith': 'items'}


def _place_for(stmt):
    """A place at the start of `stmt` that an instruction of it has, too."""
    part = getattr(stmt, _PLACES.get(type(stmt).__name__, ''), stmt)
    if type(part) is list:
        part = part[0]
    return _place_of(getattr(part, 'context_expr', part))


def _around_class(expr, at):
    """`(lambda: expr)()`: what looks nothing up in the class namespace."""
    return _call(Lambda(args=_no_arguments(), body=expr, **at), [], at)


def _wrapped(stmt, number, form, is_last):
    """The statement that takes the place of `stmt`."""
    # Up to 3.10 line tables are made afterwards.
    own = _AT if _TABLES else _place_for(stmt)
    at = own if is_last else _AT
    kind = Name(id=_HOOK, ctx=_LOAD, **at)
    hook = Name(id=_HOOK, ctx=_LOAD, **own)
    test = _call(hook, [_number(number, own)], own)
    if form == 'class':  # a code object needs a first line
        kind, test = _around_class(kind, own), _around_class(test, own)
    body = [If(test=test, body=[Raise(exc=None, cause=None, **own)], orelse=[], **own)]
    if form in ('statement', 'return-inline', 'return-capture'):
        healed = Return(value=_call(hook, [], own), **own)
        # A captured return would add a local that `co_varnames` shows.
        if form == 'statement':
            healed = If(test=hook, body=[healed], orelse=[], **own)
        body.append(healed)
    elif form not in ('no-return', 'class'):
        raise Mismatch('unknown form ' + ascii(form))
    handler = ExceptHandler(type=kind, name=None, body=body, **at)
    return Try(body=[stmt], handlers=[handler], orelse=[], finalbody=[], **_AT)


def _suites(stmt):
    """The statement lists in a statement, in source order."""
    suites = []
    for name in 'body', 'handlers', 'orelse', 'finalbody', 'cases':
        part = getattr(stmt, name, None)
        if part and type(part) is list:
            if name in ('handlers', 'cases'):
                suites += [inner.body for inner in part]
            else:
                suites.append(part)
    return suites


def _never(stmt):
    """Whether the compiler drops the first suite: `if 0:`, `while False:`."""
    test = getattr(stmt, 'test', None)
    negated = type(test) is _ast.UnaryOp and type(test.op) is _ast.Not
    if negated:
        test = test.operand
    return type(test) is _ast.Constant and bool(test.value) is negated


def insert(tree, text, sites):
    """Put the wrappers into the tree of `text`. `sites`: the records of the table."""
    places = _places(text, sites)
    n, next_site, found = len(sites), 0, []
    stack = [(tree.body, 0, False, False)]
    while stack:  # by hand: `elif` chains are deep
        suite, i, dead, inner = stack.pop()
        if i == len(suite):
            continue
        stmt = suite[i]
        stack.append((suite, i + 1, dead, inner))
        if next_site < n:
            here = stmt.lineno, stmt.col_offset
            # Without exact starts (multi-line strings, `async`) a statement still starts
            # where it says or before; and all that starts before it was met already.
            if places[next_site] == here or not _EXACT_STARTS and places[next_site] < here:
                if not dead:
                    found.append((suite, i, sites[next_site], not inner))
                    inner = True
                next_site += 1
        if type(stmt).__name__ in ('FunctionDef', 'AsyncFunctionDef', 'ClassDef'):
            inner = False
        suites = [(part, 0, dead, inner) for part in reversed(_suites(stmt))]
        if _LEAKS and not dead and suites and _never(stmt):
            suites[-1] = suites[-1][:2] + (True, inner)
        stack += suites
    if next_site < n:
        raise Mismatch('no statement at line %d' % sites[next_site]['line'])
    for suite, i, site, is_last in found:
        if site['form'].startswith('return') and type(suite[i]) is not Return:
            raise Mismatch('no return statement at line %d' % site['line'])
        suite[i] = _wrapped(suite[i], site['id'], site['form'], is_last)


def _places(text, sites):
    """(line, column in UTF-8 bytes) of each site."""
    if text is None:  # ASCII
        return [(site['line'], site['column']) for site in sites]
    lines = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
    places = []
    for site in sites:
        line, column = site['line'], site['column']
        if column:
            column = len(lines[line - 1][:column].encode('utf-8', 'surrogatepass'))
        places.append((line, column))
    return places


def decoded(source):
    """The text of a file, or None if characters and UTF-8 bytes are the same."""
    try:
        source.decode('ascii')
        return None
    except UnicodeDecodeError:
        pass
    if b'coding' not in source[:1000]:
        return source.decode('utf-8-sig')
    from importlib.util import decode_source
    text = decode_source(source)
    return text[1:] if text.startswith('\ufeff') else text


def parse(source, path):
    return compile(source, path, 'exec', 0x400, True)  # PyCF_ONLY_AST


def build(source, path, sites, optimize=-1):
    """The code of the file with its handlers."""
    tree = parse(source, path)
    insert(tree, decoded(source), sites)
    code = compile(tree, path, 'exec', 0, True, optimize)
    return _finished(code) if _TABLES else code


def _is_ours(const):
    return type(const) is CodeType and const.co_names == (_HOOK,) and const.co_name == '<lambda>'


def _finished(code):
    """Up to 3.10 our instructions get their lines afterwards."""
    consts, changed = list(code.co_consts), False
    first, table = code.co_firstlineno, None
    for i, const in enumerate(consts):
        if type(const) is CodeType:
            if _is_ours(const):
                consts[i] = _replaced(const, const.co_consts, first, None)
            else:
                consts[i] = _finished(const)
            changed = changed or consts[i] is not const
    first, table = _new_table(code)
    if changed or table is not None:
        return _replaced(code, tuple(consts), first, table)
    return code


def _replaced(code, consts, first, table):
    if VERSION >= (3, 10):
        new = {} if table is None else {'co_linetable': table}
        return code.replace(co_consts=consts, co_firstlineno=first, **new)
    if table is None:
        table = code.co_lnotab
    if VERSION >= (3, 8):
        return code.replace(co_consts=consts, co_firstlineno=first, co_lnotab=table)
    return CodeType(
        code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize,
        code.co_flags, code.co_code, consts, code.co_names, code.co_varnames,
        code.co_filename, code.co_name, first, table, code.co_freevars, code.co_cellvars)


# ---------------------------------------------------------------- line tables up to 3.10

if _TABLES:
    from opcode import opmap as _opmap
    _EXTENDED, _DUP_TOP, _LOAD_CONST, _POP_BLOCK = (
        _opmap[name] for name in ('EXTENDED_ARG', 'DUP_TOP', 'LOAD_CONST', 'POP_BLOCK'))
    _ANNOTATIONS = _opmap['SETUP_ANNOTATIONS']
    _LEAVING = {_POP_BLOCK, _opmap['JUMP_FORWARD']}
    _JUMPS = {_opmap['JUMP_FORWARD'], _opmap['JUMP_ABSOLUTE']}
    _SETUP = {_opmap[name] for name in ('SETUP_EXCEPT', 'SETUP_FINALLY') if name in _opmap}
    _LOAD_NAMES = {_opmap[name] for name in ('LOAD_NAME', 'LOAD_GLOBAL')}
    _NO_MATCH = {_opmap[name] for name in ('JUMP_IF_NOT_EXC_MATCH', 'POP_JUMP_IF_FALSE')
                 if name in _opmap}
    _UNIT = 2 if VERSION >= (3, 10) else 1  # bytes that a jump's argument counts


def _instructions(code):
    """[(start with its prefixes, operation, argument, end)], in bytes."""
    found, start, extended = [], 0, 0
    for at in range(0, len(code), 2):
        operation, argument = code[at], code[at + 1] | extended
        if operation == _EXTENDED:
            extended = argument << 8
            continue
        found.append((start, operation, argument, at + 2))
        start, extended = at + 2, 0
    return found


def _new_table(code):
    """(first line, line table), with lines for our instructions."""
    first, lines = code.co_firstlineno, None
    instructions = _instructions(code.co_code)
    index = {start: i for i, (start, _, _, _) in enumerate(instructions)}
    spans = []
    for start, operation, argument, end in instructions:
        if operation not in _SETUP:
            continue
        handler = end + argument * _UNIT
        i = index.get(handler)
        if i is None or instructions[i][1] != _DUP_TOP:
            continue
        _, operation, argument, _ = instructions[i + 1]
        if not (operation in _LOAD_NAMES and code.co_names[argument] == _HOOK
                or operation == _LOAD_CONST and _is_ours(code.co_consts[argument])):
            continue
        last = i + 2
        while instructions[last][1] not in _NO_MATCH:
            last += 1
        handler_end = instructions[index[instructions[last][2] * _UNIT]][3]
        leave = handler  # where the body is left for what follows
        if VERSION < (3, 10) and instructions[i - 1][1] in _JUMPS \
                and instructions[i - 2][1] == _POP_BLOCK:
            leave = instructions[i - 2][0]
        body = instructions[last][3]
        spans.append([at // 2 for at in (start, end, leave, handler, body, handler_end)])
    if not spans:
        return first, None
    lines = _lines_of(code)
    for start, end, leave, _, _, handler_end in reversed(spans):
        if leave == end:  # nothing in it
            line = lines[start - 1] if start else lines[min(handler_end, len(lines) - 1)]
        elif VERSION >= (3, 10) and lines[start] not in (None, start and lines[start - 1]):
            continue  # of an instruction that was dropped: `pass`, a string
        else:
            line = lines[end]
        lines[start:end] = [line] * (end - start)
    until = 0
    for start, end, leave, handler, body, handler_end in spans:
        if VERSION >= (3, 10):
            line = lines[end]
            lines[handler:handler_end] = [line] * (handler_end - handler)
            if start < until:  # in another one
                lines[handler:body] = [None] * (body - handler)
                lines[handler_end - 1] = None
            until = max(until, handler_end)
        else:  # no new range: entering it is no event for tracers
            # What follows may take its line from a `finally` that is repeated in it.
            end = handler_end
            while end < len(lines) and lines[end] == lines[handler_end - 1] \
                    and code.co_code[end * 2] in _LEAVING:
                end += 1
            lines[leave:end] = [lines[leave - 1]] * (end - leave)
    if VERSION >= (3, 10):
        return first, _table_310(lines, first)
    start = spans[0][0]
    if code.co_name == '<module>' and (not start or start == 1 and code.co_code[0] == _ANNOTATIONS):
        first = lines[start]
        lines[:start] = [first] * start
    return first, _table_36(lines, first)


def _lines_of(code):
    """The line of each two bytes of code; None: no line."""
    lines = [None] * (len(code.co_code) // 2)
    if VERSION >= (3, 10):
        for start, end, line in code.co_lines():
            for at in range(start // 2, end // 2):
                lines[at] = line
        return lines
    table, line, at, starts = code.co_lnotab, code.co_firstlineno, 0, {}
    starts[0] = line
    for i in range(0, len(table), 2):
        at += table[i]
        line += table[i + 1] - 256 if table[i + 1] >= 128 else table[i + 1]
        starts[at] = line
    line = None
    for at in range(len(lines)):
        line = lines[at] = starts.get(at * 2, line)
    return lines


def _table_310(lines, first):
    table, line, at = bytearray(), first, 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end] == lines[at]:
            end += 1
        size = (end - at) * 2
        delta = None if lines[at] is None else lines[at] - line
        if delta is not None:
            line = lines[at]
            while not -127 <= delta <= 127:
                step = 127 if delta > 0 else -127
                table += bytes((0, step & 255))
                delta -= step
        byte = 128 if delta is None else delta & 255
        while size > 254:
            table += bytes((254, byte))
            size -= 254
            byte = byte if delta is None else 0
        table += bytes((size, byte))
        at = end
    return bytes(table)


def _table_36(lines, first):
    table, line, at = bytearray(), first, 0
    for index, here in enumerate(lines):
        if here == line:
            continue
        size, delta = index * 2 - at, here - line
        while size > 255:
            table += b'\xff\0'
            size -= 255
        while not -128 <= delta <= 127:
            step = 127 if delta > 0 else -128
            table += bytes((size, step & 255))
            size, delta = 0, delta - step
        table += bytes((size, delta & 255))
        line, at = here, index * 2
    return bytes(table)
