# -*- coding: latin-1 -*-
def f():
    text = 'äöü'; return g(text)


def g(text):
    if text: raise KeyError('é' + text)


f()
