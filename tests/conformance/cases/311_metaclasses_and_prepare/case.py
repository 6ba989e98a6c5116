log = []


class Namespace(dict):
    def __setitem__(self, key, value):
        log.append('set ' + key)
        if key == 'forbidden':
            raise TypeError('forbidden')
        dict.__setitem__(self, key, value)

    def __getitem__(self, key):
        log.append('get ' + key)
        return dict.__getitem__(self, key)

    def __delitem__(self, key):
        log.append('del ' + key)
        dict.__delitem__(self, key)

    def __missing__(self, key):
        log.append('missing ' + key)
        raise KeyError(key)


class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases, **kw):
        log.append('prepare %s %s' % (name, sorted(kw)))
        return Namespace()

    def __new__(cls, name, bases, namespace, **kw):
        log.append('new ' + name)
        return type.__new__(cls, name, bases, dict(namespace))

    def __init__(cls, name, bases, namespace, **kw):
        log.append('init ' + name)


class Field:
    def __set_name__(self, owner, name):
        log.append('set_name %s %s' % (owner.__name__, name))


class Base(metaclass=Meta):
    def __init_subclass__(cls, **kw):
        log.append('init_subclass ' + cls.__name__)
        super().__init_subclass__()

    def __class_getitem__(cls, item):
        return cls.__name__, item


class Child(Base, flag=1):
    x = Field()
    y = z = len('abc')
    try:
        unknown
    except NameError:
        found = False
    for i in range(2):
        if i:
            continue
        del z
        z = i
    a, (b, *c) = 1, (2, 3)
    with open('/dev/null') as f:
        pass
    try:
        forbidden = 1
    except TypeError as e:
        message = str(e)
    y += 1
    import os.path as p

    def method(self):
        return __class__


print('\n'.join(log))
print(sorted(k for k in vars(Child) if k[:2] != '__'))
print(Base.__class_getitem__(1) if hasattr(type(Base), '__getitem__') else Base.__class_getitem__.__func__(Child, 1) if hasattr(Base.__class_getitem__, '__func__') else Base.__class_getitem__(Child, 1), Child().method() is Child)
try:
    class Bad(Base):
        forbidden = 1
except TypeError as e:
    print(e)
