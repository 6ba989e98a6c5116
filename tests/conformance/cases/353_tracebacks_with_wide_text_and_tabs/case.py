import traceback


def fail(*args):
    raise ValueError('fail')


def emoji():
    x = '🎉🎉'; y = fail('é', '🎉'); z = 1


def wide():
    return '漢字' + fail('漢字') + '漢字'


def tabs():
	x = 1;	fail(x)


def names():
    größe = 1; fail(größe)


def combining():
    s = 'é'; fail(s)


for f in (emoji, wide, tabs, names, combining):
    try:
        f()
    except ValueError:
        traceback.print_exc()
