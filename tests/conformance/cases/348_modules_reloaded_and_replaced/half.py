import sys
started = str(1)
if not hasattr(sys, 'half_ok'):
    1 / 0
done = started * 2
