from __future__ import annotations
x: Unknown
y: Unknown = 1
z: Unknown = f()
