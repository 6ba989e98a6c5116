for x in y:
    class C:
        continue
