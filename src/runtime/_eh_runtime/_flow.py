"""Where an exception goes within a code object, read off its bytecode.

Bytecode is at hand for every frame: without a source file, after `exec`, in frozen
modules. Up to 3.10 handlers are blocks that instructions set up, from 3.11 on a table.

Values on the stack are followed as far as they are names, attributes, constants, tuples
and calls, to know what a handler catches, what a `with` entered and what a call calls:

    ('global', n) ('name', n) ('local', n) ('const', v) ('attr', x, n) ('tuple', (x, ...))
    ('call', callee, (x, ...) or None, ((keyword, x), ...)) ('function', code)
    ('exit', manager) EXC NULL UNKNOWN
"""
import sys
from bisect import bisect_right
from dis import get_instructions, hasjabs, hasjrel, stack_effect
from weakref import ref

_TABLE = sys.version_info >= (3, 11)  # handlers are in a table
_BY_JUMP = sys.version_info >= (3, 8)  # stack_effect knows jumps
_OLD_WITH = sys.version_info < (3, 9)
_JUMPS = frozenset(hasjabs + hasjrel)

EXC, NULL, UNKNOWN = ('exception',), ('null',), ('unknown',)
_ALWAYS = {'JUMP_FORWARD', 'JUMP_ABSOLUTE', 'JUMP_BACKWARD', 'JUMP_BACKWARD_NO_INTERRUPT',
           'JUMP_NO_INTERRUPT', 'JUMP'}
_ENDS = {'RETURN_VALUE', 'RETURN_CONST', 'RAISE_VARARGS', 'RERAISE', 'BREAK_LOOP', 'CONTINUE_LOOP'}
_SETUP = {'SETUP_LOOP', 'SETUP_EXCEPT', 'SETUP_FINALLY', 'SETUP_WITH', 'SETUP_ASYNC_WITH'}
_LOADS = {'LOAD_GLOBAL': 'global', 'LOAD_NAME': 'name', 'LOAD_FAST': 'local', 'LOAD_DEREF': 'local',
          'LOAD_FAST_CHECK': 'local', 'LOAD_CLASSDEREF': 'local', 'LOAD_CONST': 'const'}
_PUTS = {'LIST_APPEND', 'SET_ADD', 'MAP_ADD', 'LIST_EXTEND', 'SET_UPDATE', 'DICT_UPDATE', 'DICT_MERGE'}
_NOTHING = {'NOP', 'RESUME', 'SETUP_ANNOTATIONS', 'EXTENDED_ARG', 'CACHE', 'COPY_FREE_VARS', 'MAKE_CELL',
         'GEN_START', 'POP_BLOCK', 'CALL_FINALLY', 'PRECALL', 'KW_NAMES', 'JUMP_FORWARD',
         'JUMP_ABSOLUTE', 'JUMP_BACKWARD', 'JUMP_BACKWARD_NO_INTERRUPT', 'IMPORT_STAR'}


_STOPS = {'END_ASYNC_FOR': StopAsyncIteration, 'CLEANUP_THROW': StopIteration}


class _Lost(Exception):
    """The stack is not what this module thinks."""


def _parse_table(code):
    """The exception table: (start, end, target, depth, lasti), offsets in bytes."""
    numbers = iter(code.co_exceptiontable)

    def number(byte):
        value = byte & 63
        while byte & 64:
            byte = next(numbers)
            value = value << 6 | byte & 63
        return value

    table = []
    for byte in numbers:
        start, length, target = number(byte), number(next(numbers)), number(next(numbers))
        depth = number(next(numbers))
        table.append((start * 2, (start + length) * 2, target * 2, depth >> 1, depth & 1))
    return table


class Flow:
    def __init__(self, code):
        self.code = list(get_instructions(code))
        self.consts = code.co_consts
        self.offsets = [i.offset for i in self.code]
        self.table = _parse_table(code) if _TABLE else ()
        self.states = [None] * len(self.code)  # (stack, blocks) before each instruction
        try:
            self._simulate()
        except (_Lost, IndexError, ValueError):
            pass  # what is known stays known

    def at(self, offset):
        return max(0, bisect_right(self.offsets, offset) - 1)

    # -- the stack ----------------------------------------------------------------

    def _simulate(self):
        todo, later, entered = [(0, (), ())], [], set()
        while todo or later:
            i, stack, blocks = todo.pop() if todo else later.pop()
            while i < len(self.code) and self.states[i] is None:
                self.states[i] = stack, blocks
                at = self.code[i]
                if _TABLE:
                    for start, end, target, depth, lasti in self.table:
                        if start <= at.offset < end and target not in entered:
                            entered.add(target)
                            entry = stack[:depth] + (UNKNOWN,) * lasti + (EXC,)
                            later.append((self.at(target), entry, ()))
                name = at.opname
                if name in _SETUP:
                    target = self.at(at.argval)
                    stack = self._set_up(name, stack)
                    level = len(stack) - (name in ('SETUP_WITH', 'SETUP_ASYNC_WITH'))
                    if name != 'SETUP_LOOP':
                        later.append((target, stack[:level] + (UNKNOWN,) * 5 + (EXC,),
                                      blocks + (('handler', target, level),)))
                    blocks += ((name, target, level),)
                    i += 1
                    continue
                if name == 'END_FINALLY' and blocks and blocks[-1][0] == 'handler':
                    break
                if at.opcode in _JUMPS and name != 'CALL_FINALLY':
                    target = self.at(at.argval)
                    todo.append((target, self._step(i, stack, True), blocks))
                    if name in _ALWAYS:
                        break
                elif name in _ENDS:
                    if name == 'BREAK_LOOP':
                        self._break(blocks, stack, todo)
                    break
                stack = self._step(i, stack, False)
                if name in ('POP_BLOCK', 'POP_EXCEPT') and blocks:
                    blocks = blocks[:-1]
                i += 1

    def _set_up(self, name, stack):
        if name == 'SETUP_WITH':
            return stack[:-1] + (('exit', stack[-1]), UNKNOWN)
        return stack

    def _break(self, blocks, stack, todo):
        for n in range(len(blocks) - 1, -1, -1):
            if blocks[n][0] == 'SETUP_LOOP':
                todo.append((blocks[n][1], stack[:blocks[n][2]], blocks[:n]))
                return

    def _step(self, i, stack, jump):
        """The stack after an instruction."""
        at = self.code[i]
        name, arg = at.opname, at.arg
        if name in _NOTHING:  # PRECALL and CALL are one
            return stack
        if name == 'RETURN_GENERATOR':  # what is sent to begin with
            return stack + (UNKNOWN,)
        if name in _LOADS:
            value = (_LOADS[name], at.argval)
            if name == 'LOAD_GLOBAL' and _TABLE and arg & 1:
                return stack + ((value, NULL) if sys.version_info >= (3, 13) else (NULL, value))
            return stack + (value,)
        if name == 'LOAD_FAST_LOAD_FAST':
            return stack + tuple(('local', n) for n in at.argval)
        if name in ('LOAD_ATTR', 'LOAD_METHOD'):
            value = ('attr', stack[-1], at.argval)
            two = name == 'LOAD_METHOD' or sys.version_info >= (3, 12) and arg & 1
            return stack[:-1] + ((value, NULL) if two else (value,))
        if name == 'MAKE_FUNCTION' and not arg:
            code = stack[-1 if _TABLE else -2]
            made = ('function', code[1]) if code[0] == 'const' else UNKNOWN
            return stack[:-1 if _TABLE else -2] + (made,)
        if name == 'PUSH_NULL' or name == 'BEGIN_FINALLY':
            return stack + (NULL,)
        if name == 'BUILD_TUPLE':
            return (stack[:-arg] + (('tuple', stack[-arg:]),)) if arg else stack + (('tuple', ()),)
        if name.startswith('CALL') and name not in ('CALL_FINALLY', 'CALL_INTRINSIC_1',
                                                    'CALL_INTRINSIC_2'):
            call, below = self.call(i, stack)
            return stack[:below] + (call,)
        if name in ('DUP_TOP', 'COPY'):
            n = arg if name == 'COPY' else 1
            return stack + (stack[-n],)
        if name == 'DUP_TOP_TWO':
            return stack + stack[-2:]
        if name == 'SWAP':
            top = list(stack)
            top[-1], top[-arg] = top[-arg], top[-1]
            return tuple(top)
        if name.startswith('ROT_'):
            n = {'ROT_TWO': 2, 'ROT_THREE': 3, 'ROT_FOUR': 4}.get(name, arg)
            return stack[:-n] + stack[-1:] + stack[-n:-1]
        if name == 'BEFORE_WITH' or name == 'BEFORE_ASYNC_WITH':
            return stack[:-1] + (('exit', stack[-1]), UNKNOWN)
        if name == 'PUSH_EXC_INFO':
            return stack[:-1] + (UNKNOWN, stack[-1])
        if name == 'WITH_CLEANUP_START':
            return stack[:-2] + (UNKNOWN,) * 3
        if name == 'WITH_CLEANUP_FINISH':
            return stack[:-2]
        if name == 'END_FINALLY' or name == 'POP_FINALLY':
            return stack[:-1]
        if name == 'POP_EXCEPT':
            return stack[:-1] if _TABLE else stack[:-3]
        if not _BY_JUMP and not jump and name in ('JUMP_IF_TRUE_OR_POP', 'JUMP_IF_FALSE_OR_POP'):
            return stack[:-1]
        if not _BY_JUMP and jump and name == 'FOR_ITER':
            return stack[:-1]
        effect = self._effect(at, jump)
        if effect < 0:
            if -effect > len(stack):
                raise _Lost
            stack = stack[:effect]
        if name in _PUTS or name.startswith(('STORE_', 'POP_', 'DELETE_')):
            return stack
        if name == 'FOR_ITER' or name.startswith(('LOAD_', 'GET_')) and effect > 0:
            return stack + (UNKNOWN,) * effect
        # whatever it took, and whatever it gave: its results are on top
        return stack[:-1] + (UNKNOWN,) * (effect + 1 if effect > 0 else 1) if stack else \
            (UNKNOWN,) * max(effect, 0)

    @staticmethod
    def _effect(at, jump):
        if _BY_JUMP:
            return stack_effect(at.opcode, at.arg, jump=jump)
        return stack_effect(at.opcode, at.arg)

    def call(self, i, stack=None):
        """The call that instruction `i` makes, or None; and how much stack is below it."""
        if stack is None:
            if self.states[i] is None:
                return None, 0
            stack = self.states[i][0]
        at = self.code[i]
        name, n = at.opname, at.arg
        names = ()
        if name in ('CALL_FUNCTION_KW', 'CALL_KW'):
            names, stack = stack[-1], stack[:-1]
            names = names[1] if names[0] == 'const' else None
        elif name == 'CALL':
            before = i - 1
            while before > 0 and self.code[before].opname in ('PRECALL', 'CACHE', 'EXTENDED_ARG'):
                before -= 1
            if self.code[before].opname == 'KW_NAMES':
                names = self.consts[self.code[before].arg]
        elif name == 'CALL_FUNCTION_EX':
            below = len(stack) - 2 - (n & 1) - _TABLE
            callee = stack[below:len(stack) - 1 - (n & 1)]
            return ('call', callee[0] if callee[0] != NULL else callee[-1], None, ()), below
        elif name not in ('CALL_FUNCTION', 'CALL_METHOD'):
            return None, 0
        two = _TABLE or name == 'CALL_METHOD'
        below = len(stack) - n - 1 - two
        if below < 0:
            raise IndexError
        callee = stack[below] if not two or stack[below] != NULL else stack[below + 1]
        args = stack[len(stack) - n:]
        if names is None:
            return ('call', callee, None, ()), below
        k = n - len(names)
        return ('call', callee, args[:k], tuple(zip(names, args[k:]))), below

    # -- the way of an exception --------------------------------------------------

    def _handler(self, i):
        """Where an exception at instruction `i` goes: an index, or None."""
        if _TABLE:
            offset, found = self.offsets[i], None
            for start, end, target, _depth, _lasti in self.table:
                if start <= offset < end:
                    found = target  # the entries do not overlap
            return None if found is None else self.at(found)
        if self.states[i] is None:
            return None
        for kind, target, _level in reversed(self.states[i][1]):
            if kind not in ('SETUP_LOOP', 'handler'):
                return target
        return None

    def leave(self, offset, kinds, judge):
        """What becomes of an exception of one of the types `kinds` that is raised at `offset`.

        (True, kinds, None)     it leaves the code, perhaps as one of other types
        (False, kinds, reason)  it does not: (how, type or manager)

        `judge.match(x, kinds)` and `judge.swallows(x, kinds)` tell whether a handler's type
        or a manager's exit takes it: true, false, or None if that cannot be told;
        `judge.raised(x)` the type that a value has when it is raised, or None.
        """
        i = self.at(offset)
        for _ in range(200):
            target = self._handler(i)
            if target is None:
                return True, kinds, None
            ends = self._walk(target, kinds, judge)
            for what, _at, more in ends:
                if what == 'caught':
                    return False, kinds, more
            again = [at for what, at, _ in ends if what == 'reraised']
            if again:
                i = again[0]
                continue
            if not ends:
                return False, kinds, ('handler', None, True)  # a loop without an end
            if any(other is None for _what, _at, other in ends):
                return False, kinds, ('replaced', None, True)
            i, kinds = ends[0][1], tuple([other for _what, _at, other in ends])
        return False, kinds, ('handler', None, True)

    def _walk(self, start, kinds, judge):
        """All ends of the ways from a handler's entry: (what, index, more)."""
        ends, seen = [], set()
        todo = [(start, 0, None, None, False)]
        while todo:
            way = todo.pop()
            if way in seen:
                continue
            seen.add(way)
            i, pending, bound, why, in_with = way
            if i >= len(self.code):
                continue
            at = self.code[i]
            name = at.opname
            stack = self.states[i][0] if self.states[i] is not None else ()
            following = i + 1
            if name in ('CHECK_EXC_MATCH', 'JUMP_IF_NOT_EXC_MATCH') or (
                    name == 'COMPARE_OP' and at.argval == 'exception match'):
                wanted = stack[-1] if stack else UNKNOWN
                test = judge.match(wanted, kinds)
                jump = i if name == 'JUMP_IF_NOT_EXC_MATCH' else self._next_jump(i)
                if jump is None:
                    continue
                ways = jump + 1, self.at(self.code[jump].argval)
                if 'TRUE' in self.code[jump].opname:
                    ways = ways[::-1]
                if test or test is None:
                    todo.append((ways[0], pending, bound, ('except', wanted, test), in_with))
                else:
                    todo.append((ways[1], pending, bound, why, in_with))
                continue
            if name == 'CHECK_EG_MATCH':
                wanted = stack[-1] if stack else UNKNOWN
                test = judge.match(wanted, kinds)
                if test or test is None:
                    ends.append(('caught', i, ('except', wanted, test)))
                    continue
            elif name == 'PREP_RERAISE_STAR' or name == 'CALL_INTRINSIC_2' and at.arg == 1:
                ends.append(('reraised', i, None))
                continue
            elif name in ('WITH_EXCEPT_START', 'WITH_CLEANUP_START') and not pending:
                manager = self._manager(i, start, stack)
                test = judge.swallows(manager, kinds)
                if test or test is None:
                    ends.append(('caught', i, ('with', manager, test)))
                    continue
                if name == 'WITH_CLEANUP_START':
                    ends.append(('reraised', i, None))
                    continue
                in_with = True
            elif in_with and name.startswith('POP_JUMP') and 'TRUE' in name:
                todo.append((following, pending, bound, why, False))
                continue
            elif name == 'RERAISE':
                ends.append(('reraised', i, None))
                continue
            elif name in _STOPS:  # the end of an `async for` or `await`, or go on
                if judge.match(('const', _STOPS[name]), kinds):
                    ends.append(('caught', i, ('except', ('const', _STOPS[name]), True)))
                else:
                    ends.append(('reraised', i, None))
                continue
            elif name == 'RAISE_VARARGS':
                value = stack[-1] if at.arg == 1 and stack else stack[-2] if at.arg == 2 and \
                    len(stack) > 1 else None
                if at.arg == 0 or value == EXC or bound is not None and value is not None and \
                        value[0] in ('local', 'name', 'global') and value[1] == bound:
                    ends.append(('reraised', i, None))
                else:
                    ends.append(('replaced', i, judge.raised(value)))
                continue
            elif name == 'END_FINALLY':
                if not pending:
                    ends.append(('reraised', i, None))
                    continue
                pending -= 1
            elif name == 'BEGIN_FINALLY':
                pending += 1
            elif name == 'LOAD_CONST' and _OLD_WITH and not _BY_JUMP and at.argval is None \
                    and self.code[i - 1].opname == 'POP_BLOCK' and i + 1 in self._finally_entries():
                pending += 1
            elif name in ('STORE_FAST', 'STORE_NAME', 'STORE_GLOBAL', 'STORE_DEREF') \
                    and bound is None and (self._stores_exception(i, stack)):
                bound = at.argval
            elif name == 'POP_EXCEPT':
                if following < len(self.code) and self.code[following].opname == 'RERAISE':
                    ends.append(('reraised', following, None))
                else:
                    ends.append(('caught', i, why or ('bare', None, True)))
                continue
            elif name in ('RETURN_VALUE', 'RETURN_CONST', 'POP_FINALLY'):
                ends.append(('caught', i, why or ('finally', None, True)))
                continue
            elif name in ('BREAK_LOOP', 'CONTINUE_LOOP'):
                self._leave_loop(i, name, ends, todo, (pending, bound, why, in_with))
                continue
            if at.opcode in _JUMPS and name not in _SETUP and name != 'CALL_FINALLY':
                todo.append((self.at(at.argval), pending, bound, why, in_with))
                if name in _ALWAYS:
                    continue
            todo.append((following, pending, bound, why, in_with))
        return ends

    def _leave_loop(self, i, name, ends, todo, rest):
        blocks = self.states[i][1] if self.states[i] is not None else ()
        for kind, target, _level in reversed(blocks):
            if kind == 'SETUP_LOOP':
                if name == 'BREAK_LOOP':
                    todo.append((target,) + rest)
                return
            if kind == 'handler':
                break
        ends.append(('caught', i, rest[2] or ('finally', None, True)))

    def _stores_exception(self, i, stack):
        return bool(stack) and (stack[-1] == EXC or not _TABLE and self.code[i - 1].opname == 'POP_TOP'
                                and len(stack) > 1 and self.code[i - 2].opname in (
                                    'POP_JUMP_IF_FALSE', 'JUMP_IF_NOT_EXC_MATCH'))

    def _next_jump(self, i):
        for j in range(i + 1, min(i + 5, len(self.code))):
            if self.code[j].opname.startswith('POP_JUMP'):
                return j
        return None

    _entries = None

    def _finally_entries(self):
        if self._entries is None:
            self._entries = {self.at(i.argval) for i in self.code
                             if i.opname in ('SETUP_FINALLY', 'SETUP_WITH', 'SETUP_ASYNC_WITH')}
        return self._entries

    def _manager(self, i, start, stack):
        """What the `with` entered whose handler begins at `start`."""
        stack = self.states[start][0] if self.states[start] is not None else stack
        for value in reversed(stack):
            if value[0] == 'exit':
                return value[1]
        return UNKNOWN


_known = {}


def of(code):
    """The flow of a code object; kept as long as that lives."""
    number = id(code)
    found = _known.get(number)
    if found is not None and found[0]() is code:
        return found[1]
    flow = Flow(code)
    _known[number] = ref(code, lambda _, known=_known: known.pop(number, None)), flow
    return flow
