def fail():
    return {}['missing']


def code():
    try:
        fail()
    except KeyError:
        return 3
