for x in a():
 for x in a():
  for x in a():
   for x in a():
    for x in a():
     for x in a():
      for x in a():
       for x in a():
        for x in a():
         b()
