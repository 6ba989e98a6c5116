"""Doc."""
"""Not doc."""
f()
