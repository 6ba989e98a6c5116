try:
  a()
except B as e:
  try:
    a()
  except B as e:
    try:
      a()
    except B as e:
      try:
        a()
      except B as e:
        try:
          a()
        except B as e:
          try:
            a()
          except B as e:
            try:
              a()
            except B as e:
              try:
                a()
              except B as e:
                c()
