class C:
    def m(self):
        self.__x = f(__y)
