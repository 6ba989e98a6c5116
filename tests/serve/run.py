"""Tests of the healing side against the built binary: python3.11 tests/serve/run.py [-v] [WORD ...]

The binary is $HEALC, or target/release/healc. Only tests whose names contain a WORD.
"""
import concurrent.futures
import sys
import time
import traceback

sys.dont_write_bytecode = True
import test_agents
import test_mcp
import test_run
import test_server


def main(arguments):
    verbose = '-v' in arguments
    words = [word for word in arguments if word != '-v']
    tests = [(name, test) for module in (test_server, test_mcp, test_agents, test_run)
             for name, test in vars(module).items()
             if name.startswith('test_') and callable(test)
             and (not words or any(word in name for word in words))]

    def run(test):
        start = time.time()
        try:
            test()
            return None, time.time() - start
        except BaseException:
            return traceback.format_exc(), time.time() - start

    failed = 0
    # Tests mostly wait; what measures time does so with room.
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        found = [(name, pool.submit(run, test)) for name, test in tests]
        for name, future in found:
            error, seconds = future.result()
            if error:
                failed += 1
                print('FAILED %s\n%s' % (name, error))
            elif verbose:
                print('ok %s (%.1f s)' % (name, seconds))
    print('%d tests of the healing side, %d failed' % (len(tests), failed))
    return 1 if failed or not tests else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
