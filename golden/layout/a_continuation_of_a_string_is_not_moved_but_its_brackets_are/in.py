if a:
    b("one"
      """two
      three""",
      [
          c,
      ])
