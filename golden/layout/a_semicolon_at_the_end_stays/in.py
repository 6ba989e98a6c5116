f();
g()  ;  # comment
