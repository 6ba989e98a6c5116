f("\ud800", "\N{BULLET}")
