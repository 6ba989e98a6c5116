value = len('one')
