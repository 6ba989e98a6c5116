a()  # healc: ignore
