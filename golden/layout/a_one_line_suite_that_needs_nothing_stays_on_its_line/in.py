if a(): pass
else: x = 1
for x in y: continue
class C: pass
def f(): return 1
