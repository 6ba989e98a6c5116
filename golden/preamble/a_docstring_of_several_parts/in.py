("Doc "
 "string.")
f()
