# coding: no-such-codec
a()
