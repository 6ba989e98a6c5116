# coding: big5
if a: b("功能")
