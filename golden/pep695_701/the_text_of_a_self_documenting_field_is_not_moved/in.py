if a:
    x = f"{
        y
        + z = }"
