a()   
if b:  
    c()	
