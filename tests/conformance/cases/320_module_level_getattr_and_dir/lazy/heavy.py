value = 'heavy'
