f("\N{no such character}")
