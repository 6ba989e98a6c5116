type A[T] = list[T]
f()
