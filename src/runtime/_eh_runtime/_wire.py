"""HTTP to the healing side, by hand on the C socket: programs replace `socket.socket`, patch
`http.client`, and see what is imported."""
import _socket
from json import JSONDecoder, JSONEncoder
from time import monotonic

_encode, _decode = JSONEncoder().encode, JSONDecoder().decode
_new_socket, _addresses, _stream = _socket.socket, _socket.getaddrinfo, _socket.SOCK_STREAM
_timeout = _socket.timeout
_errors = OSError, ValueError, KeyError, IndexError, RecursionError
_LARGEST = 16 << 20
_CONNECT = 5.0  # seconds


class Unreachable(Exception):
    """The healing side does not answer, or not in a way that makes sense."""


class Wire:
    """One connection, made anew when the other side has closed it."""

    def __init__(self, endpoint, token):
        scheme, _, rest = endpoint.partition('://')
        if scheme != 'http':
            raise ValueError('EH_ENDPOINT is not http://HOST:PORT')
        self.host = rest.partition('/')[0]
        name, colon, port = self.host.rpartition(':')
        if not colon or not port.isdigit():
            name, port = self.host, '80'
        self.address = name.strip('[]').encode('ascii'), int(port)  # text would import idna
        self.token = token
        self.socket = None

    def copy(self):
        other = object.__new__(Wire)
        other.__dict__.update(self.__dict__, socket=None)
        return other

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def _connect(self):
        error = None
        for family, kind, protocol, _, address in _addresses(*self.address, type=_stream):
            made = _new_socket(family, kind, protocol)
            try:
                made.settimeout(_CONNECT)
                made.connect(address)
                self.socket = made
                return
            except OSError as failure:
                made.close()
                error = failure
        raise error or OSError('no address')

    def call(self, method, path, body=None, seconds=30.0):
        """(status, what the JSON says or None). Sent again, once, if an idle connection turns
        out to be closed: results are known by their numbers."""
        head = '%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n' % (
            method, path, self.host, self.token)
        data = b''
        if body is not None:
            data = _encode(body).encode('utf-8', 'replace')
            head += 'Content-Type: application/json\r\nContent-Length: %d\r\n' % len(data)
        message = (head + '\r\n').encode('utf-8') + data
        until = monotonic() + seconds
        try:
            for again in (True, False):
                fresh = self.socket is None
                if fresh:
                    self._connect()
                try:
                    self.socket.settimeout(max(0.01, until - monotonic()))
                    self.socket.sendall(message)
                    answer = self._receive(until)
                    if answer is not None:
                        return answer
                except ConnectionError:
                    if fresh or not again:
                        raise
                self.close()
                if fresh:
                    break
            raise Unreachable('the connection was closed')
        except _errors as error:
            self.close()
            raise Unreachable('%s: %s' % (type(error).__name__, error))
        except BaseException:  # an interrupt: what comes next would be the rest of this
            self.close()
            raise

    def _more(self, until):
        left = until - monotonic()
        if left <= 0:
            raise Unreachable('no whole answer in time')
        self.socket.settimeout(left)
        try:
            return self.socket.recv(65536)
        except _timeout:
            raise Unreachable('no whole answer in time')

    def _receive(self, until):
        """The answer, or None if the connection was closed before it began."""
        data = b''
        while b'\r\n\r\n' not in data:
            part = self._more(until)
            if not part:
                if data:
                    raise Unreachable('half an answer')
                return None
            data += part
            if len(data) > 65536 + len(part):
                raise Unreachable('not HTTP')
        head, _, data = data.partition(b'\r\n\r\n')
        first, *lines = head.decode('latin-1').split('\r\n')
        version, status = first.split(' ')[:2]
        if not version.startswith('HTTP/1.'):
            raise Unreachable('not HTTP')
        status = int(status)
        headers = {}
        for line in lines:
            name, _, value = line.partition(':')
            headers[name.strip().lower()] = value.strip()
        length = 0 if status in (204, 304) else headers.get('content-length')
        if length is None:
            raise Unreachable('an answer without its length')
        length = int(length)
        if not 0 <= length <= _LARGEST:
            raise Unreachable('too long an answer')
        parts, have = [data], len(data)
        while have < length:
            part = self._more(until)
            if not part:
                raise Unreachable('half an answer')
            parts.append(part)
            have += len(part)
        if headers.get('connection', '').lower() == 'close':
            self.close()
        text = b''.join(parts)[:length]
        if not text or 'json' not in headers.get('content-type', ''):
            return status, None
        return status, _decode(text.decode('utf-8'))
