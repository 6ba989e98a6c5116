# coding: shift_jis
if a:
    b("表示"); c("ソ")
