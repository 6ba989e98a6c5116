# coding: utf-8
a("é")
