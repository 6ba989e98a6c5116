if a:
    @b
    # comment
    @c(
        1
    )

    def f():
        return g()
