if value != value:
    _eh_rtn = "NaN"
else:
    _eh_rtn = n
