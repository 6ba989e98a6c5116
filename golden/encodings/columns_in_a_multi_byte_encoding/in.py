# coding: shift_jis
x = "表"; f("示"); g("ソ")
