"""Tries the gate's cases on real interpreters: does what is rejected escape, does anything that
is accepted?

    python3.11 tests/gate/live.py [--healc target/release/healc] [--python 3.8 ...] [--audit 3000]
                                  [--report live.json] [FILE.jsonl ...]

1. `healc gate` judges every case; the verdict must be the labelled one.
2. Every snippet, rejected or not, is run by sandbox.py on every interpreter.
   An accepted one that escapes is an error. For the rejected ones the report says where they
   really escape, so that each rule has its proof.
3. Every accepted snippet, and N mutations of the cases that are accepted too, are parsed by
   CPython itself, and the tree is looked through: what the gate's parser has missed shows there.

Standard library only. Exit status 1 if anything disagrees.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MINORS = ['3.6', '3.7', '3.8', '3.9', '3.10', '3.11', '3.12', '3.13', '3.14']


def interpreters(only):
    for minor in MINORS:
        if only and minor not in only:
            continue
        found = sorted(glob.glob(os.path.expanduser('~/.pyenv/versions/%s.*/bin/python' % minor)))
        if found:
            yield minor, found[-1]


def judge(healc, case):
    command = [healc, 'gate', '-', '--json']
    if case.get('target_python'):
        command += ['--target-python', case['target_python']]
    done = subprocess.run(command, input=case['code'].encode('utf-8', 'surrogatepass'),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        return {'accepted': None, 'findings': [{'rule': 'crash', 'message': done.stderr.decode()}]}
    verdict = json.loads(done.stdout.decode())
    assert verdict['accepted'] == (done.returncode == 0)
    return verdict


def sandbox(python, cases):
    text = ''.join(json.dumps(case) + '\n' for case in cases)
    done = subprocess.run([python, '-B', '-W', 'ignore', os.path.join(HERE, 'sandbox.py')],
                          input=text.encode(), stdout=subprocess.PIPE)
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if len(answers) != len(cases):
        raise SystemExit('%s: %d answers for %d cases' % (python, len(answers), len(cases)))
    return answers


SPICE = ['__class__', 'eval', '(', ')', '[', ']', '{', '}', '.', ':', ',', "'", '"', "f'", "rf'", '\\', '\n', '#',
         '!r', '=', ':=', '*', '**', 'lambda ', ' for x in ', ' if ', 'os', 'sys', '.format', 'import ',
         '\t', ' ', '\\N{', '{{', '}}', '"""', "'''", 'async ', 'await ', '@', 'match ', 'type ', '_', 'getattr']


def mutate(random, codes):
    code = random.choice(codes)
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(code))
        what = random.random()
        if what < .4:
            code = code[:at] + random.choice(SPICE) + code[at:]
        elif what < .6:
            code = code[:at] + code[at + random.randint(1, 4):]
        elif what < .8:
            other = random.choice(codes)
            start = random.randint(0, len(other))
            code = code[:at] + other[start:start + random.randint(1, 20)] + code[at:]
        else:
            code = code[:at] + random.choice(SPICE) + code[at + 1:]
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('files', nargs='*')
    parser.add_argument('--healc', default=os.path.join(ROOT, 'target', 'release', 'healc'))
    parser.add_argument('--python', nargs='*')
    parser.add_argument('--audit', type=int, default=3000, metavar='N')
    parser.add_argument('--report')
    args = parser.parse_args()
    files = args.files or [os.path.join(HERE, 'cases.jsonl'), os.path.join(HERE, 'repairs.jsonl'),
                           os.path.join(HERE, 'labelled.jsonl')]
    cases = []
    for file in files:
        if os.path.exists(file):
            with open(file, encoding='utf-8') as lines:
                cases += [json.loads(line) for line in lines if line.strip()]
    pool = concurrent.futures.ThreadPoolExecutor(2)
    verdicts = list(pool.map(lambda case: judge(args.healc, case), cases))
    errors = []
    for case, verdict in zip(cases, verdicts):
        if verdict['accepted'] != (case['verdict'] == 'accept'):
            errors.append('%s: labelled %s, but %s: %r %s' % (
                case['id'], case['verdict'], verdict['accepted'], case['code'],
                [f['rule'] for f in verdict['findings']]))

    pythons = list(interpreters(args.python))
    escapes = collections.defaultdict(dict)
    outcomes = collections.defaultdict(dict)
    runs = {minor: pool.submit(sandbox, python, [
        {'id': str(i), 'code': case['code'], 'setup': case.get('setup'), 'check': case.get('check')}
        for i, case in enumerate(cases)]) for minor, python in pythons}
    for minor, future in runs.items():
        for case, answer in zip(cases, future.result()):
            outcomes[case['id']][minor] = answer['error']
            if answer['escapes']:
                escapes[case['id']][minor] = answer['escapes']
            if (answer['error'] or '').startswith('harness'):
                errors.append('%s: %s: %s' % (case['id'], minor, answer['error']))
            if case['verdict'] == 'accept':
                if answer['escapes']:
                    errors.append('%s: accepted, but escapes on %s: %s: %r' % (
                        case['id'], minor, answer['escapes'], case['code']))
                if case.get('check') and answer['error'] \
                        and int(minor[2:]) >= int(case.get('since', '3.6')[2:]):
                    errors.append('%s: does not repair on %s: %s' % (case['id'], minor, answer['error']))

    # The second opinion.
    accepted = [c['code'] for c, v in zip(cases, verdicts) if v['accepted'] and not c.get('target_python')]
    dice = random.Random(20240607)
    codes = [case['code'] for case in cases if len(case['code']) < 400]
    good = [case['code'] for case in cases if case['verdict'] == 'accept' and len(case['code']) < 400]
    tried = [mutate(dice, good if i % 2 else codes) for i in range(args.audit)]
    more = pool.map(lambda code: judge(args.healc, {'code': code}), tried)
    survivors = []
    for code, verdict in zip(tried, more):
        if verdict['accepted'] is None:
            errors.append('crash on %r: %s' % (code, verdict['findings']))
        elif verdict['accepted']:
            survivors.append(code)
    audited = sorted(set(accepted + survivors))
    only_gate, endless = 0, set()
    for minor, python in pythons:
        here = [{'id': str(i), 'code': code, 'audit': True} for i, code in enumerate(audited)]
        for case, answer in zip(here, sandbox(python, here)):
            if answer['escapes'] == ['time without bound']:
                endless.add(case['code'])  # the runtime's alarm is for these
                continue
            if answer['audit'] is None:
                errors.append('audit: %s: %r: %s' % (minor, case['code'], answer['error']))
                continue
            state, problems = answer['audit'][0], answer['audit'][1:]
            if state == 'ok' and problems:
                errors.append('audit: %s sees %s in %r' % (minor, problems, case['code']))
            elif state != 'ok' and minor == pythons[-1][0] and state != 'syntax':
                errors.append('audit: %s: %s: %r' % (minor, state, case['code'][:200]))
            elif state == 'syntax' and minor == pythons[-1][0]:
                only_gate += 1
            if answer['escapes'] and case['code'] not in accepted:
                errors.append('audit: a mutation escapes on %s: %s: %r' % (minor, answer['escapes'], case['code']))

    rejected = [case for case in cases if case['verdict'] == 'reject']
    live = [case for case in rejected if escapes.get(case['id'])]
    print('%d cases: %d accepted, %d rejected' % (len(cases), len(cases) - len(rejected), len(rejected)))
    print('interpreters: ' + ' '.join(minor for minor, _ in pythons))
    print('rejected snippets that really escape: %d' % len(live))
    for minor, _ in pythons:
        print('  on %s: %d' % (minor, sum(minor in escapes[case['id']] for case in live)))
    print('accepted snippets and mutations parsed by CPython: %d (%d mutations), %d of them no syntax on the newest' % (
        len(audited), len(survivors), only_gate))
    print('mutations that never end: %d' % len(endless))
    if args.report:
        with open(args.report, 'w', encoding='utf-8') as file:
            for case in cases:
                json.dump({'id': case['id'], 'verdict': case['verdict'], 'code': case['code'],
                           'escapes': escapes.get(case['id'], {}), 'errors': outcomes[case['id']]},
                          file, ensure_ascii=False)
                file.write('\n')
    for error in errors:
        print('ERROR ' + error)
    print('%d errors' % len(errors))
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
