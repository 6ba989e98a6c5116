"""OpenHands as a healer: an agent of its SDK whose only tools are those for the paused frame."""
import os
import sys

os.environ.setdefault('OPENHANDS_SUPPRESS_BANNER', '1')
# What it keeps goes where this agent may write.
os.environ.setdefault('OPENHANDS_PERSISTENCE_DIR', os.getcwd())

from openhands.sdk import LLM, Agent, Conversation
from openhands.sdk.tool import (Action, Observation, Tool, ToolDefinition, ToolExecutor,
                                register_tool)
from pydantic import Field, SecretStr

import healc_agent as healc

CRASH = healc.Crash()


class ExecuteAction(Action):
    code: str = Field(description='Python code')
    submit: bool = Field(description='Whether this is the repair')
    reason: str | None = Field(default=None, description='Why, in a sentence')


class ReraiseAction(Action):
    reason: str | None = Field(default=None, description='Why, in a sentence')


class ListFilesAction(Action):
    path: str = Field(default='', description='Folder; empty: the root')


class ReadFileAction(Action):
    path: str
    start: int | None = Field(default=None, description='First line')
    end: int | None = Field(default=None, description='Last line')


class SearchFilesAction(Action):
    pattern: str = Field(description='Regular expression')
    path: str = Field(default='', description='Folder or file')


class Text(Observation):
    """What came of it, as text."""


class Run(ToolExecutor):
    counted = 0, 0

    def count(self, conversation):
        """The tokens since the last action: the client only has sums."""
        used = conversation.conversation_stats.get_combined_metrics().accumulated_token_usage
        if used is not None:
            had, Run.counted = Run.counted, (used.prompt_tokens, used.completion_tokens)
            CRASH.count(*(now - before for now, before in zip(Run.counted, had)))

    def __call__(self, action, conversation=None):
        if conversation is not None:
            self.count(conversation)
        over = CRASH.state != 'paused'
        try:
            if over:
                text = 'The pause is over; nothing was done.'
            elif isinstance(action, ExecuteAction):
                text = CRASH.execute(action.code, action.submit, action.reason)
            elif isinstance(action, ReraiseAction):
                text = CRASH.reraise(action.reason)
            elif isinstance(action, ListFilesAction):
                text = CRASH.look('files', path=action.path)
            elif isinstance(action, ReadFileAction):
                text = CRASH.look('file', path=action.path, start=action.start, end=action.end)
            else:
                text = CRASH.look('search', pattern=action.pattern, path=action.path)
        except (ValueError, healc.Over) as error:
            text = 'Error: %s' % error
        if CRASH.state != 'paused' and conversation is not None:
            conversation.pause()
        return Text.from_text(text=text)


def made(cls, about, takes):
    return [cls(description=about, action_type=takes, observation_type=Text, executor=Run())]


class Execute(ToolDefinition[ExecuteAction, Text]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return made(cls, healc.EXECUTE, ExecuteAction)


class Reraise(ToolDefinition[ReraiseAction, Text]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return made(cls, healc.RERAISE, ReraiseAction)


class ListFiles(ToolDefinition[ListFilesAction, Text]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return made(cls, healc.FILES, ListFilesAction)


class ReadFile(ToolDefinition[ReadFileAction, Text]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return made(cls, healc.READ, ReadFileAction)


class SearchFiles(ToolDefinition[SearchFilesAction, Text]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return made(cls, healc.SEARCH, SearchFilesAction)


TOOLS = Execute, Reraise, ListFiles, ReadFile, SearchFiles


def main():
    llm = LLM(model=healc.MODEL if '/' in healc.MODEL else 'openai/' + healc.MODEL,
              base_url=healc.BASE_URL, api_key=SecretStr(healc.KEY), usage_id='healc',
              timeout=240, num_retries=4, retry_min_wait=1, retry_max_wait=30, retry_multiplier=2)
    tools = []
    for kind in TOOLS:
        register_tool(kind.__name__, kind)
        tools.append(Tool(name=kind.__name__))
    agent = Agent(llm=llm, tools=tools, include_default_tools=[], system_prompt=healc.RULES)
    conversation = Conversation(agent=agent, workspace=os.getcwd(), visualizer=None,
                                max_iteration_per_run=healc.STEPS)
    try:
        task = CRASH.text
        # A model that answers in words instead of calling a tool is reminded, a few times.
        for _ in range(3):
            conversation.send_message(task)
            conversation.run()
            if CRASH.state != 'paused':
                break
            task = 'The program is still paused. Call execute with submit=true, or reraise.'
    finally:
        conversation.close()
    if CRASH.state == 'paused':
        sys.exit('OpenHands ended without an answer')


if __name__ == '__main__':
    main()
