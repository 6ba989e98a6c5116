import tomlkit

document = tomlkit.parse('a=[1,2,3]')
del document['a'][0]
assert document['a'] == [2, 3]
assert tomlkit.parse(tomlkit.dumps(document))['a'] == [2, 3]
