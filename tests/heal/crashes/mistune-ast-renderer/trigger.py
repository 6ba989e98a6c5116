import mistune

tokens = mistune.create_markdown(renderer='ast')('# title')
assert tokens[0]['type'] == 'heading' and tokens[0]['children'][0]['raw'] == 'title', tokens
assert mistune.html('# title').strip() == '<h1>title</h1>'
