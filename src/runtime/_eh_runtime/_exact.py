"""Exact mode: instrumented code that looks like the original from everywhere.

The files of the program stay as they are on disk. When one that the overlay's manifest
names is loaded, and it is still what was instrumented, its code is compiled with
handlers in it, with the original's file name, lines and columns (_exact_build), and
kept in a cache.

    EH_EXACT    the overlay, or 1: the one that EH_OVERLAY names
    EH_REPO     the repository; else files are recognised by their names and contents
    EH_CACHE    the cache folder, or "off"; else a folder in the user's cache folder

Nothing is added to `sys.meta_path`, and modules keep their loaders: only the method
of importlib's loader of source files is replaced that gives a file's code. Loaders
of others, also those derived from importlib's, are left alone.
"""
import sys
import builtins
import marshal
import _imp
import _frozen_importlib_external as external
from _io import FileIO

if 'nt' in sys.builtin_module_names:
    import nt as system
else:
    import posix as system

WINDOWS = system.__name__ == 'nt'
VERSION = sys.version_info[:2]
_FORMAT = b'EHX1' + external.MAGIC_NUMBER
_stat, _getcwd = system.stat, system.getcwd
_source_hash = getattr(_imp, 'source_hash', None)  # since 3.7
_loads, _dumps = marshal.loads, marshal.dumps
_original_get_code = external.SourceLoader.get_code
_Loader = external.SourceFileLoader

BUILD = 1  # to be changed whenever other code comes out of _exact_build

_state = None  # of the overlay in use
_EMITS = 1  # the compiler has something to say about this text


def setting(name):
    """A variable as the process was started with."""
    if WINDOWS:
        return system.environ.get(name, '')
    return system.environ.get(name.encode(), b'').decode(
        sys.getfilesystemencoding(), 'surrogateescape')


def warn(text):
    try:
        sys.stderr.write('healc: %s\n' % text)
    except Exception:
        pass


def tidy():
    """Leave no traces of the runtime's own imports."""
    for folder in sys.modules['_eh_runtime'].__path__:
        sys.path_importer_cache.pop(folder, None)


def read(path):
    with FileIO(path) as file:
        return file.read()


def absolute(path):
    """`path` without dots, with slashes."""
    if WINDOWS:
        path = path.replace('\\', '/')
    if not path.startswith('/') and not (WINDOWS and path[1:2] == ':'):
        cwd = _getcwd()
        path = (cwd.replace('\\', '/') if WINDOWS else cwd) + '/' + path
    if '/.' not in path and '//' not in path:
        return path
    parts = []
    for part in path.split('/'):
        if part == '..':
            del parts[max(1, len(parts) - 1):]
        elif part != '.' and (part or not parts):
            parts.append(part)
    return '/'.join(parts)


if _source_hash is not None:
    def quick_hash(data):
        return _source_hash(0x68656131, data)
else:
    _had = '_md5' in sys.modules
    from _md5 import md5 as _md5
    if not _had:
        del sys.modules['_md5']

    def quick_hash(data):
        return _md5(data).digest()[:8]


class _Overlay:
    """What is known of the overlay, and what was loaded from it."""

    def __init__(self, root, repo, cache, index):
        self.root = root
        self.repo = repo and repo.rstrip('/') + '/'
        self.cache = cache
        self.version, self.files, self.names = index
        self.learned = set()  # folders that held originals
        self.loaded = {}  # file name of code -> path in the overlay
        self.warned = set()
        optimize = '' if sys.flags.optimize == 0 else '.opt-%d' % sys.flags.optimize
        xoptions = getattr(sys, '_xoptions', {})
        if VERSION >= (3, 11) and ('no_debug_ranges' in xoptions
                                   or setting('PYTHONNODEBUGRANGES')):
            optimize += '.nocol'
        tag = sys.implementation.cache_tag
        if cache and tag:
            self.folder = '%s/%s-%s-%d%s' % (cache, tag, self.version, BUILD, optimize)
        else:
            self.folder = None

    def candidates(self, path):
        """Files of the manifest that `path` may be, most likely first."""
        names = self.names
        at = 0 if not path.startswith('/') else 1
        while True:
            found = names.get(path[at:] if at else path)
            if found:
                yield from found
            at = path.find('/', at) + 1
            if not at:
                return

    def may_hold(self, path):
        for _ in self.candidates(absolute(path)):
            return True
        return False

    def code(self, path, source=None, fresh=False):
        """The instrumented code of a file, or None if it is none of ours.

        `fresh`: the original would be compiled now, and the compiler heard.
        """
        full = absolute(path)
        changed = None
        for name in self.candidates(full):
            if source is None:
                source = read(path)
            digest, output = self.files[name]
            entry = self.folder and '%s/%s/%s-%s' % (
                self.folder, digest[:2], digest[2:24], output[:12])
            code = entry and self._cached(entry, source, fresh)
            if code is None:
                from _eh_runtime import _exact_store as store
                if store.sha256(source) != digest:
                    if self._is_below(full, name):
                        changed = name
                    continue
                code = store.compiled(self, name, source, path, entry)
                if code is None:
                    return None
            if full.endswith('/' + name):
                self.learned.add(full[:-len(name)])
            self.loaded[path] = name
            return code
        if changed and changed not in self.warned:
            self.warned.add(changed)
            warn('%s was changed since it was instrumented: it runs as it is now. '
                 'Instrument again' % ascii(changed))
        return None

    def _is_below(self, full, name):
        """Whether the file lies where the file of the manifest does."""
        if not full.endswith('/' + name):
            return False
        folder = full[:-len(name)]
        if folder in self.learned or folder == self.repo:
            return True
        try:
            return bool(self.repo) and \
                sys.modules['os'].path.realpath(full) == self.repo + name
        except Exception:
            return False

    def _cached(self, entry, source, fresh):
        try:
            data = read(entry)
        except OSError:
            return None
        # format, flags, hash of the source, hash of the code, code
        if data[:8] != _FORMAT or data[9:17] != quick_hash(source):
            return None
        if fresh and data[8] & _EMITS:
            return None
        body = memoryview(data)[25:]  # no copy: there is a lot of it
        if data[17:25] != quick_hash(body):
            return None
        return _loads(body)


def _code(loader, fullname):
    """What `get_code` asks: the code, or None. Never raises."""
    try:
        if fullname == 'runpy':
            _watch_runpy()
        path = loader.path
        if not path.endswith('.py') or loader.name != fullname:
            return None
        code = _state.code(path, None, sys.dont_write_bytecode)
        if code is not None and code.co_filename != path:
            _imp._fix_co_filename(code, path)
        return code
    except Exception:
        return None


# Its frames count as importlib's, which tracebacks leave out.
_GET_CODE = '''
def get_code(self, fullname):
    if type(self) is Loader:
        code = exact(self, fullname)
        if code is not None:
            return code
    return original(self, fullname)
'''

_GET_ZIP_CODE = '''
def _get_module_code(self, fullname):
    found = original(self, fullname)
    code = exact(self, found[2])
    return found if code is None else (code,) + found[1:]
'''


def _stand_in(text, original, exact):
    """A function for the place of `original`, with its looks."""
    space = {'Loader': _Loader, 'original': original, 'exact': exact,
             '__name__': original.__module__}
    exec(compile(text, original.__code__.co_filename, 'exec', 0, True, 2), space)
    function = space[original.__name__]
    function.__qualname__ = original.__qualname__
    function.__doc__ = original.__doc__
    return function


def _zip_code(importer, path):
    try:
        if not path.endswith('.py') or not _state.may_hold(path):
            return None
        code = _state.code(path, importer.get_data(path))
        if code is not None and code.co_filename != path:
            _imp._fix_co_filename(code, path)
        return code
    except Exception:
        return None


# ------------------------------------------------------------------------------- runpy

def _run_path_code(source, filename, args):
    try:
        if type(source) is not bytes or type(filename) is not str or args != ('exec',):
            return None
        if not _state.may_hold(filename):
            return None
        code = _state.code(filename, source, True)
        if code is not None and code.co_filename != filename:
            _imp._fix_co_filename(code, filename)
        return code
    except Exception:
        return None


def _watch_runpy():
    """`runpy.run_path` (and with it multiprocessing's children) compiles by itself."""
    compile = builtins.compile

    def compile_exact(source, filename, *args, **options):
        code = None if options else _run_path_code(source, filename, args)
        return compile(source, filename, *args, **options) if code is None else code

    sys.modules['runpy'].__dict__.setdefault('compile', compile_exact)


def _watch_frozen_runpy():
    importer = sys.modules['_frozen_importlib'].FrozenImporter
    descriptor = importer.__dict__['exec_module']
    original = descriptor.__func__

    def exec_module(module):
        original(module)
        if module.__name__ == 'runpy':
            importer.exec_module = descriptor
            try:
                _watch_runpy()
            except Exception:
                pass

    importer.exec_module = staticmethod(exec_module)


# ------------------------------------------------------------------------------- start

def table_of(filename):
    """The site table's file for the file name of code, or None."""
    name = _state and _state.loaded.get(filename)
    return name and '%s/.healc/sites/%s.json' % (_state.root, name)


def _wire_sites():
    """Let the healing runtime find the tables: they do not lie beside the sources."""
    sites = sys.modules.get('_eh_runtime._sites')
    if sites is None:
        return
    original, original_folder = sites.table, sites.folder

    def table(filename):
        path = table_of(filename)
        if path is None:
            return original(filename)
        try:
            found = sites._decode(sites.read(path).decode('utf-8'))
            if not sites._valid(found, found['path']):
                return None
            for site in found['sites']:  # see _exact_build
                if site['form'] == 'return-capture':
                    site['form'] = 'return-inline'
            return found
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def folder(filename, table):
        return None if table_of(filename) is not None else original_folder(filename, table)

    sites.table, sites.folder = table, folder


def _cache_folder():
    cache = setting('EH_CACHE')
    if cache == 'off':
        return None
    if cache:
        return absolute(cache)
    if WINDOWS:
        base = setting('LOCALAPPDATA')
    else:
        base = setting('XDG_CACHE_HOME')
        home = setting('HOME')
        if not base.startswith('/') and home.startswith('/'):
            base = home + ('/Library/Caches' if sys.platform == 'darwin' else '/.cache')
    if not base:
        return None
    folder = absolute(base) + '/healc'
    try:
        info = _stat(folder)
    except OSError:
        return folder  # is made when needed
    # What lies in it is executed: it has to be the user's own.
    if not WINDOWS and (info.st_uid != system.geteuid() or info.st_mode & 0o022):
        return None
    return folder


def _index(root, cache):
    """(version, files, names) of the overlay's manifest."""
    info = _stat(root + '/.healc/manifest.json')
    stamp = (root, info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
    path = cache and '%s/index-%s' % (cache, quick_hash(root.encode('utf-8', 'surrogatepass')).hex())
    if path:
        try:
            data = read(path)
            if data[:8] == _FORMAT and data[8:16] == quick_hash(data[16:]):
                found, index = _loads(data[16:])
                if found == stamp:
                    return index
        except (OSError, ValueError, EOFError, TypeError):
            pass
    from _eh_runtime import _exact_store as store
    index = store.read_manifest(root)
    if path:
        data = _dumps((stamp, index))
        store.write(path, _FORMAT + quick_hash(data) + data)
    return index


def install():
    """Start exact mode if EH_EXACT asks for it. Whatever goes wrong: the original runs."""
    global _state
    root = setting('EH_EXACT')
    if _state is not None or root in ('', '0', 'off'):
        return
    if sys.flags.isolated or sys.flags.no_site or sys.flags.ignore_environment:
        return
    if root == '1':
        root = setting('EH_OVERLAY')
        if not root:
            return warn('EH_EXACT=1, but EH_OVERLAY names no overlay: off')
    try:
        root = absolute(root)
        repo, cache = setting('EH_REPO'), _cache_folder()
        state = _Overlay(root, repo and absolute(repo), cache, _index(root, cache))
    except Exception as error:
        return warn('EH_EXACT: off: %s: %s' % (type(error).__name__, ascii(str(error))))
    _state = state
    external.SourceLoader.get_code = _stand_in(_GET_CODE, _original_get_code, _code)
    zipimport = sys.modules.get('zipimport')
    if hasattr(zipimport, '_get_module_code'):  # in Python since 3.8
        zipimport._get_module_code = _stand_in(
            _GET_ZIP_CODE, zipimport._get_module_code, _zip_code)
    if 'runpy' in sys.modules:
        _watch_runpy()
    elif VERSION >= (3, 11):
        _watch_frozen_runpy()
    _wire_sites()
    from _eh_runtime import _exact_main
    _exact_main.arrange(state)
    tidy()
