class C:
    try:
        import a
    except ImportError:
        a = None
