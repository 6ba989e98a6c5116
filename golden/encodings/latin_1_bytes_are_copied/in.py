# -*- coding: latin-1 -*-
if a:
    b("é ü", 'ß')
