if a: b()  # why
else: c()  # else
