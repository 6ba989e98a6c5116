"""A crash that nobody heals ends the program as ever."""
#! code 1
#! stdout before
#! stderr KeyError: 'b'
#? crash KeyError end
#? reraise
print('before', flush=True)
value = {}['b']  # end
print('after')
