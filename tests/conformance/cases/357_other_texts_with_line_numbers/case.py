import faulthandler
import logging
import sys
import threading
import traceback
import warnings


def dump():
    x = 1; faulthandler.dump_traceback(all_threads=False)


def warn():
    if True: warnings.warn('careful')
    for i in range(1): warnings.warn('one level up', DeprecationWarning, stacklevel=2)


def log():
    try:
        int('x')
    except ValueError:
        logging.exception('logged')
    logging.warning('with stack', stack_info=True)


class D:
    def __del__(self):
        x = 1; self.missing


def thread():
    a = 1; raise KeyError('thread')


warnings.simplefilter('always')
dump()
warn()
log()
D()
t = threading.Thread(target=thread, name='T')
t.start()
t.join()
traceback.print_stack()
traceback.print_list(traceback.extract_stack())
sys.excepthook(*[None, None, None]) if False else None
exec(compile('def f():\n    raise OSError(1)\nf()', '<made-up>', 'exec'))
