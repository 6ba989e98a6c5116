match f():
    case 1:
        g()
