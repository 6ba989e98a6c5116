# coding: gbk
print("乗誠") if a else b("俓")
