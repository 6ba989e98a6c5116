import multiprocessing
import os
import sys
import traceback


def square(x):
    if x == 3:
        raise ValueError('three')
    return x * x


def leave(code):
    try:
        sys.exit(code)
    finally:
        os.write(1, b'leaving\n')


class Custom(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.a = a

    def __reduce__(self):
        return Custom, (self.a, 'again')


def custom(x):
    raise Custom(x, 'first')


def main():
    for method in ('fork', 'spawn'):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, [1, 2, 4]))
            try:
                pool.map(square, [1, 3])
            except ValueError as e:
                print(e, type(e.__cause__).__name__)
            try:
                pool.apply(custom, (1,))
            except Custom as e:
                print(e.args)
        process = context.Process(target=leave, args=(7,))
        sys.stdout.flush()
        process.start()
        process.join()
        print(process.exitcode)


if __name__ == '__main__':
    main()
    context = multiprocessing.get_context('fork')
    with context.Pool(1) as pool:
        pool.map(square, [3])
