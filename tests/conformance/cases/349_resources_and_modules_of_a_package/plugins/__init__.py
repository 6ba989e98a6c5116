names = [n for n in ('a', 'b')]
