try:
    from app.core import go, fail
except ImportError:
    from core import go, fail
print(go('main'))
fail()
