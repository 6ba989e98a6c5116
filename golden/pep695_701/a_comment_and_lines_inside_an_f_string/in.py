if a:
    x = f"{
        y  # comment with a } brace
        + z
    }"
