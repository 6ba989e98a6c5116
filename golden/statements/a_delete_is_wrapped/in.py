del x, y[0], z.a
