assert x, "message"
