match a:
    case 1:
        match b, c:
            case (d, e):
                f()
