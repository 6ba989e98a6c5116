if a():
 if a():
  if a():
   if a():
    if a():
     if a():
      if a():
       if a():
        if a():
         if a():
          if a():
           if a():
            b()
