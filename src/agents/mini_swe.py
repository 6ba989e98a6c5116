"""mini-SWE-agent as a healer: its loop and model, with tools for the paused frame instead of a shell."""
import json
import os
import sys

os.environ.setdefault('MSWEA_SILENT_STARTUP', '1')
os.environ.setdefault('MSWEA_COST_TRACKING', 'ignore_errors')
# Its settings are the user's; what it writes is not.
os.environ.setdefault('MSWEA_GLOBAL_CONFIG_DIR', os.getcwd())

import litellm
from minisweagent.agents.default import DefaultAgent
from minisweagent.exceptions import FormatError, Submitted
from minisweagent.models.litellm_model import LitellmModel

import healc_agent as healc


def tool(name, description, required, **properties):
    return {'type': 'function', 'function': {
        'name': name, 'description': description, 'parameters': {
            'type': 'object', 'properties': properties, 'required': required,
            'additionalProperties': False}}}


TEXT, NUMBER = {'type': 'string'}, {'type': 'integer'}
TOOLS = [
    tool('execute', healc.EXECUTE, ['code', 'submit'], code=TEXT, submit={'type': 'boolean'},
         reason=TEXT),
    tool('reraise', healc.RERAISE, [], reason=TEXT),
    tool('list_files', healc.FILES, [], path=TEXT),
    tool('read_file', healc.READ, ['path'], path=TEXT, start=NUMBER, end=NUMBER),
    tool('search_files', healc.SEARCH, ['pattern'], pattern=TEXT, path=TEXT),
]
REQUIRED = {t['function']['name']: t['function']['parameters'] for t in TOOLS}


class Model(LitellmModel):
    """The model, which may call our tools and has to call one."""

    def __init__(self, crash, **settings):
        super().__init__(**settings)
        self.crash = crash

    def _query(self, messages, **more):
        answer = litellm.completion(
            model=self.config.model_name, messages=messages, tools=TOOLS, tool_choice='required',
            **(self.config.model_kwargs | more))
        usage = getattr(answer, 'usage', None)
        if usage:
            self.crash.count(usage.prompt_tokens, usage.completion_tokens)
        return answer

    def _parse_actions(self, response):
        choice = response.choices[0]
        actions, problem = [], None
        for call in choice.message.tool_calls or []:
            try:
                arguments = json.loads(call.function.arguments or '{}')
                schema = REQUIRED[call.function.name]
                missing = [name for name in schema['required'] if name not in arguments]
                unknown = [name for name in arguments if name not in schema['properties']]
                if missing or unknown:
                    problem = 'missing or unknown arguments: %s' % ', '.join(missing + unknown)
            except KeyError:
                problem = 'there is no tool %s' % call.function.name
            except (ValueError, TypeError) as error:
                problem = 'the arguments are not a JSON object: %s' % error
            if problem:
                break
            actions.append({'name': call.function.name, 'arguments': arguments,
                            'tool_call_id': call.id})
        if not actions and not problem:
            problem = 'no tool was called'
        if problem:
            if choice.finish_reason == 'length':
                problem += '; the answer was cut off'
            raise FormatError({
                'role': 'user', 'extra': {'interrupt_type': 'FormatError'},
                'content': 'Your last answer could not be used: %s. Call one of the tools %s.'
                           % (problem, ', '.join(REQUIRED))})
        return actions


class PausedFrame:
    """mini-SWE-agent's environment: where its actions are executed."""
    config = None

    def __init__(self, crash):
        self.crash = crash

    def execute(self, action, cwd=''):
        arguments, name = action['arguments'], action['name']
        try:
            if name == 'execute':
                text = self.crash.execute(arguments['code'], arguments['submit'],
                                          arguments.get('reason'))
            elif name == 'reraise':
                text = self.crash.reraise(arguments.get('reason'))
            else:
                kind = {'list_files': 'files', 'read_file': 'file', 'search_files': 'search'}[name]
                text = self.crash.look(kind, **arguments)
        except ValueError as error:
            text = 'Error: %s' % error
        except healc.Over as over:
            text = str(over)
        if self.crash.state != 'paused':
            raise Submitted({'role': 'exit', 'content': text,
                             'extra': {'exit_status': 'Submitted', 'submission': text}})
        return {'output': text, 'returncode': 0, 'exception_info': ''}

    def get_template_vars(self, **more):
        return {}

    def serialize(self):
        return {}


def main():
    crash = healc.Crash()
    settings = {'timeout': 240}
    if healc.BASE_URL:
        settings.update(api_base=healc.BASE_URL, api_key=healc.KEY)
    name = healc.MODEL if '/' in healc.MODEL else 'openai/' + healc.MODEL
    model = Model(crash, model_name=name, model_kwargs=settings, cost_tracking='ignore_errors',
                  observation_template='{{ output.output }}')
    agent = DefaultAgent(model, PausedFrame(crash), system_template='{{ rules }}',
                         instance_template='{{ task }}', step_limit=healc.STEPS, cost_limit=0.0,
                         max_consecutive_format_errors=8)
    outcome = agent.run(crash.text, rules=healc.RULES)
    if crash.state == 'paused':
        sys.exit('mini-SWE-agent ended with %s' % outcome.get('exit_status'))


if __name__ == '__main__':
    main()
