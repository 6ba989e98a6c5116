f("__eh__", "_eh_runtime")  # __eh__
