"""A model for tests: an OpenAI-compatible endpoint that says what it is told to, and misbehaves on
demand.

`Model(steps)` answers one request per step, over chat completions or responses, streamed or not. A
step is a dict:

    {'tool': name, 'arguments': {...}}     calls a tool
    {'text': '...'}                        says something
    {'status': 429, 'after': 1}            fails (with Retry-After)
    {'raw': '...'}                         a body that is no answer
    {'cut': True, ...}                     closes the connection in the middle of the answer
    {'slow': seconds, ...}                 waits first
    {'finish': 'length', ...}              with this reason to finish
    {'arguments_text': '{"code": '}        arguments that are no JSON

What was asked is kept in `asked`.
"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    def __init__(self, steps):
        self.steps, self.asked, self.lock = list(steps), [], threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply(200, json.dumps({'object': 'list', 'data': [], 'models': []}))

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                with model.lock:
                    model.asked.append(body)
                    step = model.steps.pop(0) if model.steps else {'status': 400}
                time.sleep(step.get('slow', 0))
                try:
                    model.answer(self, step, body)
                except OSError:
                    pass

            def reply(self, status, text, kind='application/json', cut=False, after=None):
                data = text.encode()
                self.send_response(status)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(data)))
                if after is not None:
                    self.send_header('Retry-After', str(after))
                self.end_headers()
                self.wfile.write(data[:len(data) // 2] if cut else data)
                if cut:
                    self.close_connection = True
                    self.wfile.flush()
                    self.connection.close()

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = 'http://127.0.0.1:%d/v1' % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler, step, body):
        cut = step.get('cut', False)
        if 'status' in step:
            error = {'error': {'message': 'told to fail', 'type': 'test', 'code': 'test'}}
            return handler.reply(step['status'], json.dumps(error), after=step.get('after'))
        if 'raw' in step:
            return handler.reply(200, step['raw'], cut=cut)
        number = len(self.asked)
        if handler.path.endswith('/responses'):
            return self.responses(handler, step, number, cut)
        arguments = step.get('arguments_text', json.dumps(step.get('arguments', {})))
        message = {'role': 'assistant', 'content': step.get('text')}
        if 'tool' in step:
            message['tool_calls'] = [{'id': 'call_%d' % number, 'type': 'function', 'function': {
                'name': step['tool'], 'arguments': arguments}}]
        finish = step.get('finish', 'tool_calls' if 'tool' in step else 'stop')
        usage = {'prompt_tokens': 100, 'completion_tokens': 10, 'total_tokens': 110}
        whole = {'id': 'chat-%d' % number, 'object': 'chat.completion', 'created': 1,
                 'model': body.get('model'), 'usage': usage,
                 'choices': [{'index': 0, 'message': message, 'finish_reason': finish}]}
        if not body.get('stream'):
            return handler.reply(200, json.dumps(whole), cut=cut)
        for call in message.get('tool_calls', []):
            call['index'] = 0
        part = dict(whole, object='chat.completion.chunk')
        del part['usage']
        parts = [dict(part, choices=[{'index': 0, 'delta': message, 'finish_reason': None}]),
                 dict(part, choices=[{'index': 0, 'delta': {}, 'finish_reason': finish}]),
                 dict(part, choices=[], usage=usage)]
        text = ''.join('data: %s\n\n' % json.dumps(p) for p in parts) + 'data: [DONE]\n\n'
        handler.reply(200, text, 'text/event-stream', cut)

    def responses(self, handler, step, number, cut):
        item = {'type': 'message', 'id': 'msg_%d' % number, 'role': 'assistant',
                'status': 'completed', 'content': [
                    {'type': 'output_text', 'text': step.get('text', ''), 'annotations': []}]}
        if 'tool' in step:
            arguments = step.get('arguments_text', json.dumps(step.get('arguments', {})))
            item = {'type': 'function_call', 'id': 'fc_%d' % number, 'call_id': 'call_%d' % number,
                    'name': step['tool'], 'arguments': arguments, 'status': 'completed'}
        usage = {'input_tokens': 100, 'output_tokens': 10, 'total_tokens': 110,
                 'input_tokens_details': {'cached_tokens': 0},
                 'output_tokens_details': {'reasoning_tokens': 0}}
        response = {'id': 'resp_%d' % number, 'object': 'response', 'status': 'completed',
                    'output': [item], 'usage': usage}
        events = [{'type': 'response.created', 'response': {'id': response['id']}},
                  {'type': 'response.output_item.done', 'output_index': 0, 'item': item},
                  {'type': 'response.completed', 'response': response}]
        text = ''.join('event: %s\ndata: %s\n\n' % (e['type'], json.dumps(e)) for e in events)
        handler.reply(200, text, 'text/event-stream', cut)
