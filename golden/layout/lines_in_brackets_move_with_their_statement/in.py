if a:
    b(
1,
            2
    )
