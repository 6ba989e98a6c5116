_eh_rtn = list(data)
