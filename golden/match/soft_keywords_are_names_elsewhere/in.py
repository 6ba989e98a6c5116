match = case = f()
match[case] = g()
match (x)
match.case()
