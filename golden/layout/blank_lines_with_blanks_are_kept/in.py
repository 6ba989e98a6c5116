if a:
    b()
    
  
    c()
