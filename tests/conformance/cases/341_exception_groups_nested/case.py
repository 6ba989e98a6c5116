def show(e, depth=0):
    if isinstance(e, BaseExceptionGroup):
        print('  ' * depth + type(e).__name__, e.message, getattr(e, '__notes__', None))
        for inner in e.exceptions:
            show(inner, depth + 1)
    else:
        print('  ' * depth + repr(e), 'context', repr(e.__context__), 'cause', repr(e.__cause__))


def make():
    return ExceptionGroup('outer', [ValueError(1), ExceptionGroup('inner', [KeyError(2), TypeError(3), ValueError(4)]), OSError(5)])


def run(name, function):
    print('--', name)
    try:
        print(function())
    except BaseException as e:
        show(e)
        print('context', repr(e.__context__)[:60])


def partial():
    try:
        raise make()
    except* ValueError as group:
        show(group)
    except* KeyError:
        pass
    return 'never'


def all_handled():
    seen = []
    try:
        raise make()
    except* (ValueError, TypeError) as g:
        seen.append(len(g.exceptions))
    except* LookupError as g:
        seen.append(str(g))
    except* OSError:
        seen.append('os')
    else:
        seen.append('else')
    finally:
        seen.append('finally')
    return seen


def raise_inside():
    try:
        raise make()
    except* ValueError as g:
        raise RuntimeError('new') from g
    except* KeyError:
        raise


def nested():
    for i in range(2):
        try:
            try:
                raise make()
            except* ValueError:
                try:
                    raise ExceptionGroup('deep', [IndexError(i)])
                except* IndexError as g:
                    print('deep', g.exceptions, i)
        except* OSError:
            print('os')
        except* Exception as rest:
            rest.add_note('noted')
            show(rest)
    return i


def naked():
    try:
        {}['k']
    except* KeyError as g:
        show(g)
    return 'done'


def unhandled():
    try:
        raise ValueError('plain')
    except* KeyError:
        pass


def base():
    try:
        raise BaseExceptionGroup('base', [KeyboardInterrupt(), ValueError(1)])
    except* ValueError:
        print('value')


for function in (partial, all_handled, raise_inside, nested, naked, unhandled, base):
    run(function.__name__, function)
raise make()
