"""Real test suites with a healing side that re-raises everything: what pauses there, and does it matter?

    python3.11 tests/heal/suites.py RUNNER SUITE ... --cache DIR --work DIR [--healc PATH] [--reasons]

RUNNER is a script that knows suites and compares their results test by test: it is called as
`RUNNER SUITE --with-network --cache DIR --work DIR --instrument 'COMMAND {dir}' --env NAME=VALUE ...`, once for each
suite. Every pause in a suite that passes is one on an exception that the program, its tests or their
runner then handled: they are listed by place, type and the reason for the decision.
"""
import argparse
import collections
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PREPARE = '''
import json, os, subprocess, sys
state, overlay, healc, folder = sys.argv[1:]
folders = json.load(open(state)) if os.path.exists(state) else []
if os.path.abspath(folder) not in folders:
    folders.append(os.path.abspath(folder))
json.dump(folders, open(state, 'w'))
root = os.path.commonpath([os.path.dirname(f) for f in folders])
subprocess.run(['rm', '-rf', overlay])
sys.exit(subprocess.run([healc, 'instrument', root, *folders, '-o', overlay, '-q', '--isolated',
                         '--runtime', 'none']).returncode)
'''


def run(runner, suite, args, place):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('EH_')}
    cache = str(place / 'cache')
    environment['EH_CACHE'] = cache
    # Its only use here is that the folder with the runtime is there.
    subprocess.run([args.healc, 'run', '--exact', '--repo', str(ROOT / 'golden'), '--', 'true'],
                   env=environment, check=True, stderr=subprocess.DEVNULL)
    activation = next(Path(cache).glob('runtime-*'))
    (place / 'prepare.py').write_text(PREPARE)
    (place / 'nothing.toml').write_text('')
    connection, overlay = place / 'connection.json', place / 'overlay'
    with open(place / 'server.log', 'w') as log:
        server = subprocess.Popen([args.healc, 'serve', '--connection', str(connection), '--record',
                                   str(place / 'record')], stderr=log)
        while not connection.exists() and server.poll() is None:
            pass
        agent = subprocess.Popen([args.healc, 'heal', '--connection', str(connection), '--method', 'script',
                                  '--answers', str(place / 'nothing.toml')], stderr=log, stdout=log)
    try:
        more = json.loads(connection.read_text())['environment']
        more.update(EH_EXACT=str(overlay), EH_CACHE=cache, PYTHONPATH=str(activation),
                    EH_LOG=str(place / 'decisions.jsonl'))
        command = [sys.executable, runner, suite, '--with-network', '--cache', args.cache, '--work', args.work, '--instrument',
                   '%s %s %s %s %s {dir}' % (sys.executable, place / 'prepare.py', place / 'state.json',
                                             overlay, args.healc)]
        for name, value in more.items():
            command += ['--env', '%s=%s' % (name, value)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    finally:
        server.terminate()
        agent.terminate()
        server.wait()
        agent.wait()
    print('== %s: %s' % (suite, ' | '.join(done.stdout.strip().split('\n')[-3:])), flush=True)
    if done.returncode:
        print(done.stderr[-2000:])
    report(place, args.reasons)


def report(place, reasons):
    places, kinds, distinct = collections.Counter(), collections.Counter(), 0
    example = {}
    with open(place / 'record' / 'record.jsonl') as file:
        for entry in map(json.loads, file):
            if entry['event'] == 'crash':
                context = entry['context']
                name = ('%(path)s:%(line)d' % context['site'], context['exception']['type'],
                        context['decision'])
                places[name] += 1
                example.setdefault(name, context)
    try:
        with open(place / 'decisions.jsonl') as file:
            for entry in map(json.loads, file):
                distinct += 1
                kinds[entry['action']] += 1
    except OSError:
        pass
    print('   %d decisions: %s' % (distinct, dict(kinds)))
    print('   %d pauses at %d places' % (sum(places.values()), len(places)))
    for name, times in places.most_common():
        print('   %5d  %s  %s  (%s)' % ((times,) + name))
        if reasons:
            print('          ' + example[name]['traceback'].strip().replace('\n', '\n          ')[-1500:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('runner')
    parser.add_argument('suites', nargs='+')
    parser.add_argument('--cache', required=True)
    parser.add_argument('--work', required=True)
    parser.add_argument('--healc', default=str(ROOT / 'target' / 'release' / 'healc'))
    parser.add_argument('--reasons', action='store_true', help='a traceback of each')
    parser.add_argument('--keep', type=Path, help='keep records and logs below this folder')
    parser.add_argument('--inside', action='store_true', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not args.inside:
        # In a network of their own, which has the server, too.
        return subprocess.run(['unshare', '-n', sys.executable, *sys.argv, '--inside']).returncode
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lo:  # loopback, up
        fcntl.ioctl(lo, 0x8914, struct.pack('16sH14s', b'lo', 0x49, b''))
    for suite in args.suites:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            if args.keep:
                place = args.keep.resolve() / suite
                subprocess.run(['rm', '-rf', str(place)], check=True)
                place.mkdir(parents=True)
            run(args.runner, suite, args, place)


if __name__ == '__main__':
    main()
