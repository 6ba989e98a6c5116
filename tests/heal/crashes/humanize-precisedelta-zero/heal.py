_eh_rtn = '0 seconds'
