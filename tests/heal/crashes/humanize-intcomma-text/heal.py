orig = f"{float(value):.{ndigits}f}"
