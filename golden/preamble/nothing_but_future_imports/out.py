from __future__ import division
