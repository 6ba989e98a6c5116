if a == 0:
    b(0)
elif a == 1:
    b(1)
elif a == 2:
    b(2)
elif a == 3:
    b(3)
elif a == 4:
    b(4)
elif a == 5:
    b(5)
elif a == 6:
    b(6)
elif a == 7:
    b(7)
elif a == 8:
    b(8)
elif a == 9:
    b(9)
elif a == 10:
    b(10)
elif a == 11:
    b(11)
elif a == 12:
    b(12)
elif a == 13:
    b(13)
elif a == 14:
    b(14)
elif a == 15:
    b(15)
elif a == 16:
    b(16)
elif a == 17:
    b(17)
elif a == 18:
    b(18)
elif a == 19:
    b(19)
elif a == 20:
    b(20)
elif a == 21:
    b(21)
elif a == 22:
    b(22)
elif a == 23:
    b(23)
elif a == 24:
    b(24)
elif a == 25:
    b(25)
elif a == 26:
    b(26)
elif a == 27:
    b(27)
elif a == 28:
    b(28)
elif a == 29:
    b(29)
