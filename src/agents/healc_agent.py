"""What the agents share: the paused crash of a healc server, by standard library alone.

The environment says which: HEALC_ENDPOINT, HEALC_TOKEN, HEALC_CRASH, HEALC_AGENT (a name for the
record), HEALC_MODEL, HEALC_RULES (the rules of healing, for prompts) and HEALC_CASE (a file: the
crash as text).
"""
import json
import os
import urllib.error
import urllib.parse
import urllib.request

MODEL = os.environ.get('HEALC_MODEL', '')
RULES = os.environ.get('HEALC_RULES', '')
BASE_URL = os.environ.get('OPENAI_BASE_URL')
KEY = os.environ.get('OPENAI_API_KEY') or 'none'
# Actions of one agent for one crash, below the server's own budget.
STEPS = 40


class Over(Exception):
    """The pause is over, or the budget used up: nothing more can be done."""


class Crash:
    def __init__(self):
        self.endpoint = os.environ['HEALC_ENDPOINT']
        self.name = os.environ['HEALC_CRASH']
        self.agent = os.environ.get('HEALC_AGENT', 'agent')
        self.state = 'paused'
        self.tokens = None
        # No proxy stands between an agent and its server.
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        with open(os.environ['HEALC_CASE'], encoding='utf-8') as file:
            self.text = file.read()
        self.session = self._call('/v1/agent/crashes/' + self.name)['session']

    def _call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.endpoint + path, data, {
            'Authorization': 'Bearer ' + os.environ['HEALC_TOKEN'],
            'Content-Type': 'application/json'})
        try:
            with self._open(request, timeout=600) as answer:
                return json.loads(answer.read() or b'null')
        except urllib.error.HTTPError as error:
            with error:
                problem = json.loads(error.read() or b'{}')
            if error.code == 409 or problem.get('type', '').endswith(':budget'):
                self.state = 'over'
                raise Over(problem.get('detail', 'the pause is over')) from None
            raise ValueError(problem.get('detail', str(error))) from None

    def count(self, read, written):
        """Tokens that the model used since the last action."""
        had = self.tokens or {'input': 0, 'output': 0}
        self.tokens = {'input': had['input'] + (read or 0), 'output': had['output'] + (written or 0)}

    def _said(self, reason):
        tokens, self.tokens = self.tokens, None
        return {'agent': self.agent, 'reason': reason, 'tokens': tokens}

    def execute(self, code, submit, reason=None):
        """Runs code in the paused frame; returns what came of it as text."""
        result = self._call('/v1/agent/crashes/%s/execute' % self.name,
                            dict(self._said(reason), code=code, submit=bool(submit)))
        self.state = result['state']
        return describe(result)

    def reraise(self, reason=None):
        result = self._call('/v1/agent/crashes/%s/reraise' % self.name, self._said(reason))
        self.state = result['state']
        return describe(result)

    def look(self, kind, **query):
        """Lists, reads or searches (`files`, `file`, `search`) the original repository."""
        query = urllib.parse.urlencode({k: v for k, v in query.items() if v is not None})
        try:
            found = self._call('/v1/agent/sessions/%s/%s?%s' % (self.session, kind, query))
        except ValueError as error:
            return 'Error: %s' % error
        if kind == 'file':
            return found['text']
        if kind == 'files':
            return '\n'.join(e['path'] + ('/' if e['kind'] == 'folder' else '')
                             for e in found['entries'])
        return '\n'.join('%(path)s:%(line)d:%(text)s' % hit for hit in found['hits'])


def describe(result):
    lines = [{'paused': 'Still paused.', 'reraised': 'The original exception went on.'}
             .get(result['state'], 'Healed: the program went on.')]
    error = result.get('error')
    if error:
        lines.append('Error (%s): %s' % (error['kind'], ': '.join(
            part for part in (error.get('type'), error.get('message')) if part)))
        lines.append(error.get('traceback') or '')
    if result.get('stdout'):
        lines.append('Output:\n' + result['stdout'])
    if result.get('value') is not None:
        lines.append('Value: ' + result['value'])
    lines.append('%s actions left.' % result.get('actions_left', '?'))
    return '\n'.join(line for line in lines if line)


EXECUTE = (
    'Run Python code in the paused frame. With submit=false it only looks: you get its output, the '
    'value of its last expression, and any error. With submit=true it is the repair: it takes the '
    'place of the failed statement, and the program goes on if it succeeds.')
RERAISE = 'Let the original exception go on, unchanged. This ends your work.'
FILES = 'List a folder of the original repository.'
READ = 'Read a file of the original repository, or some of its lines.'
SEARCH = 'Search the original repository for lines that match a regular expression.'
