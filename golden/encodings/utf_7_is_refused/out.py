# coding: utf-7
a("+AGE-")
