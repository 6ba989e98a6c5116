import xmltodict

found = xmltodict.parse('<a><b>1</b></a>', force_list=True)
assert found['a'][0]['b'] == ['1'], found
assert xmltodict.parse('<a><b>1</b></a>') == {'a': {'b': '1'}}
