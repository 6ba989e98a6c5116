from __future__ import division; f()
