"""Exact mode: what is done once for each file, and then kept in the cache."""
import sys
import marshal
from _io import FileIO

from _eh_runtime import _exact

system = _exact.system
_counter = 0
_warned = set()


def sha256(data):
    with _Unseen():
        try:
            from _sha2 import sha256 as make  # since 3.12
        except ImportError:
            try:
                from _sha256 import sha256 as make
            except ImportError:
                from hashlib import sha256 as make
    return make(data).hexdigest()


class _Strict:
    """What the scanner of `_json` asks for. `json` itself would load a lot more."""
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = None
    memo = {}


def decode(data):
    text = data.decode('utf-8')
    with _Unseen():
        try:
            from _json import make_scanner
        except ImportError:
            from json import loads
            return loads(text)
    return make_scanner(_Strict())(text, 0)[0]


class _Unseen:
    """What is imported inside is not left in `sys.modules` for the program to see."""

    def __enter__(self):
        self.before = set(sys.modules)

    def __exit__(self, *error):
        for name in _OWN.intersection(sys.modules).difference(self.before):
            del sys.modules[name]
        _exact.tidy()


_OWN = {'_ast', '_json', '_opcode', '_sha2', '_sha256', 'opcode'}


def _json(path):
    data = decode(_exact.read(path))
    if data['schema'] != 1:
        raise ValueError('%s: of another format' % path)
    return data


def read_manifest(root):
    """(version, files, names): what exact mode needs of a manifest."""
    manifest = _json(root + '/.healc/manifest.json')
    files, names = {}, {}
    roots = [folder.strip('/') + '/' for folder in manifest['runtime_in'] if folder]
    for path, entry in manifest['files'].items():
        if entry['state'] != 'instrumented' or not path.endswith('.py'):
            continue
        files[path] = entry['source_sha256'], entry['output_sha256']
        names.setdefault(path, []).append(path)
        for folder in roots:  # an installed copy stands without `src`
            if path.startswith(folder):
                names.setdefault(path[len(folder):], []).append(path)
    return manifest['tool']['version'], files, names


def write(path, data):
    """Write a file of the cache, whole or not at all. Failing does not matter."""
    global _counter
    try:
        folder = path.rpartition('/')[0]
        _make(folder)
        _counter += 1
        name = '%s.%d.%d.tmp' % (path, system.getpid(), _counter)
        flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL
        flags |= getattr(system, 'O_CLOEXEC', 0) | getattr(system, 'O_BINARY', 0)
        descriptor = system.open(name, flags, 0o600)
        try:
            with FileIO(descriptor, 'w') as file:
                if file.write(data) != len(data):
                    raise OSError('short')
            (system.replace if hasattr(system, 'replace') else system.rename)(name, path)
        except BaseException:
            system.unlink(name)
            raise
    except Exception:
        pass


def _make(folder):
    try:
        system.stat(folder)
    except OSError:
        parent = folder.rpartition('/')[0]
        if parent:
            _make(parent)
        try:
            system.mkdir(folder, 0o700)
        except FileExistsError:
            pass


class _Same:
    def __init__(self, text):
        self.text = text

    def match(self, text):
        return text == self.text


def _is_silent(build, source, path, sites):
    """The code, if the compiler has nothing to say about the text; else None."""
    module = path[:-3] if len(path) > 3 and path.endswith('.py') else path
    if _exact.VERSION < (3, 7):
        module = _Same(module)
    strict = 'error', None, Warning, module, 0  # for warnings about this file alone
    warnings = sys.modules.get('warnings')
    if warnings is None:
        import _warnings as warnings
    filters = warnings.filters
    if type(filters) is not list:
        return None
    filters.insert(0, strict)
    try:
        return build(source, path, sites)
    except (SyntaxError, Warning):
        return None
    finally:
        filters[:] = [one for one in filters if one is not strict]


def compiled(overlay, name, source, path, entry):
    """The code of a file with handlers in it, and into the cache with it.

    None, with a word about it, if it cannot be: then the original runs.
    """
    with _Unseen():
        from _eh_runtime._exact_build import Mismatch, build
    try:
        table = _json('%s/.healc/sites/%s.json' % (overlay.root, name))
        digest, output = overlay.files[name]
        if table['source_sha256'] != digest or table['output_sha256'] != output:
            raise Mismatch('its sites are of another version')
        sites = table['sites']
        code = _is_silent(build, source, path, sites)
        flags = 0
        if code is None:
            flags = _exact._EMITS
            code = build(source, path, sites)
    except SyntaxError:
        return None  # the original says it better
    except Exception as error:
        if name not in _warned:
            _warned.add(name)
            _exact.warn('%s runs without handlers: %s: %s' % (
                ascii(name), type(error).__name__, ascii(str(error))))
        return None
    if entry:
        body = marshal.dumps(code)
        write(entry, _exact._FORMAT + bytes((flags,)) + _exact.quick_hash(source)
              + _exact.quick_hash(body) + body)
    return code
