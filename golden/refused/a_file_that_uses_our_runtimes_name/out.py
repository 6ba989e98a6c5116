import _eh_runtime
f()
