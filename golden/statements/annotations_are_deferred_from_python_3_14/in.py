x: Unknown
y: Unknown = 1
z: Unknown = f()
