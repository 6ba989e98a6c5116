# `healc run --exact` writes this as the `sitecustomize` of a folder on PYTHONPATH,
# beside the runtime. It starts exact mode, and makes way for the real one.
import sys
try:
    from _eh_runtime import _exact_site
    _exact_site.start(__file__.replace('\\', '/').rpartition('/')[0])
    del _exact_site
except ImportError:
    pass
sys.modules.pop('sitecustomize', None)
import sitecustomize
