x = f"{d["key"]} {f"{y!r:>{w}}"}"
f"{f()}"
