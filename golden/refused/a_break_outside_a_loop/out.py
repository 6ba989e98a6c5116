a()
break
