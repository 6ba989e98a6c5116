value = 'sub'.title()
