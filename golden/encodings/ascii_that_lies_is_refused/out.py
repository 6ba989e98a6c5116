# coding: ascii
a("é")
