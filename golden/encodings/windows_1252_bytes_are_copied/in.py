# coding: cp1252
x = f("€ „quoted“")
