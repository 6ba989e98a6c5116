__version__ = "1.0"
LIMIT = -1
PAIR = (1, "two", None)
