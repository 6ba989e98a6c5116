if a:
    b("""one
two
  three""")
    x = '''
four'''
