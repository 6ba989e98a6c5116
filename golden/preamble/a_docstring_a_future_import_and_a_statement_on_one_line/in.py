"""Doc."""; from __future__ import division; x = 1; f()
