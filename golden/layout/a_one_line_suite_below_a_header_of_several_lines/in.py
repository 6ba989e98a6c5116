if (a and
        b): c(); d()
