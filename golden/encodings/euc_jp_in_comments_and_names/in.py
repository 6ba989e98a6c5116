# coding: euc-jp
f("日本")  # 日本
