x = t"{y}"
