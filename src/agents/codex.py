"""Codex as a healer: its command line answers by a JSON schema, one action a turn.

`codex` (or $HEALC_CODEX) works read-only in an empty folder; what it wants to know of the frame it
asks for as an action, and gets the result in the next turn of the same thread.
"""
import json
import os
import subprocess
import sys

import healc_agent as healc

SCHEMA = {
    'type': 'object', 'additionalProperties': False,
    'required': ['action', 'code', 'submit', 'reason'],
    'properties': {
        'action': {'type': 'string', 'enum': ['execute', 'reraise', 'list', 'read', 'search'],
                   'description': 'list, read and search look at the original repository'},
        'code': {'type': 'string',
                 'description': 'execute: Python code; list, read: a path; search: a regular '
                                'expression; reraise: empty'},
        'submit': {'type': 'boolean', 'description': 'execute: whether this is the repair'},
        'reason': {'type': 'string', 'description': 'Why, in a sentence'},
    },
}
TASK = '''%s

Each of your answers is one action, as a JSON object with the members action, code, submit and reason;
you get its result and answer again, until the program goes on. Do not use your shell or edit files:
the program does not run there.

%s'''


def settings():
    """Of a provider that speaks the Responses API at the base URL, if one is given."""
    pairs = {'approval_policy': '"never"', 'sandbox_mode': '"read-only"'}
    if healc.BASE_URL:
        provider = 'model_providers.healc'
        pairs.update({
            'model_provider': '"healc"', provider + '.name': '"healc"',
            provider + '.base_url': json.dumps(healc.BASE_URL),
            provider + '.env_key': '"OPENAI_API_KEY"', provider + '.wire_api': '"responses"',
            provider + '.request_max_retries': '4', provider + '.stream_max_retries': '2'})
    return [part for pair in pairs.items() for part in ('-c', '%s=%s' % pair)]


class Codex:
    def __init__(self, folder, crash):
        self.crash, self.thread = crash, None
        self.schema = os.path.join(folder, 'schema.json')
        with open(self.schema, 'w') as file:
            json.dump(SCHEMA, file)

    def turn(self, prompt):
        """Says something to it; returns its final message."""
        command = [os.environ.get('HEALC_CODEX') or 'codex', 'exec']
        if self.thread:
            command += ['resume', self.thread]
        command += ['--json', '--skip-git-repo-check', '--output-schema', self.schema]
        if healc.MODEL:
            command += ['-m', healc.MODEL]
        ran = subprocess.run(command + settings() + ['-'], input=prompt, text=True,
                             stdout=subprocess.PIPE, encoding='utf-8',
                             env=dict(os.environ, OPENAI_API_KEY=healc.KEY))
        message, failure = None, None
        for line in ran.stdout.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            kind, item = event.get('type'), event.get('item') or {}
            if kind == 'thread.started':
                self.thread = event.get('thread_id')
            elif kind == 'item.completed' and item.get('type') == 'agent_message':
                message = item.get('text')
            elif kind == 'turn.completed':
                usage = event.get('usage') or {}
                self.crash.count(usage.get('input_tokens'), usage.get('output_tokens'))
            elif kind in ('turn.failed', 'error'):
                failure = (event.get('error') or event).get('message')
        if message is None:
            raise RuntimeError(failure or 'codex said nothing, exit code %d' % ran.returncode)
        return message


def act(crash, message):
    """Does what the message asks for; returns what came of it."""
    try:
        asked = json.loads(message)
        action, code = asked['action'], asked['code']
        submit, reason = asked['submit'], asked.get('reason')
        if not isinstance(code, str) or not isinstance(submit, bool):
            raise TypeError('code is a string, submit true or false')
    except (ValueError, KeyError, TypeError) as error:
        return 'Your answer could not be used: %s: %s. Answer by the schema.' % (
            type(error).__name__, error)
    try:
        if action == 'execute':
            return crash.execute(code, submit, reason)
        if action == 'reraise':
            return crash.reraise(reason)
        if action in ('list', 'read'):
            return crash.look('files' if action == 'list' else 'file', path=code)
        if action == 'search':
            return crash.look('search', pattern=code)
    except (ValueError, healc.Over) as error:
        return 'Error: %s' % error
    return 'There is no action %s.' % action


def main():
    crash = healc.Crash()
    codex = Codex(os.getcwd(), crash)
    said = TASK % (healc.RULES, crash.text)
    for _ in range(healc.STEPS):
        said = act(crash, codex.turn(said))
        if crash.state != 'paused':
            return
    sys.exit('Codex gave no repair in %d turns' % healc.STEPS)


if __name__ == '__main__':
    main()
