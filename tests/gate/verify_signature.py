"""The runtime's side of the signature: standard library, Python 3.6 and later.

    verify(key, session, crash, code, signature)   true only for what the server signed

What is signed, so that no two different triples have the same message:

    b"healc submission 1\\n", then for session, crash and code (text as UTF-8, code as the bytes
    that will be executed): the length as 8 bytes, big end first, and the bytes

The signature is HMAC-SHA256 of that, in lower case hex. Run this file to check it against the
values that the tests of src/gate/sign.rs know.
"""
import hashlib
import hmac


def message(session, crash, code):
    parts = [b'healc submission 1\n']
    for part in (session, crash, code):
        if not isinstance(part, bytes):
            part = part.encode('utf-8')
        parts += [len(part).to_bytes(8, 'big'), part]
    return b''.join(parts)


def sign(key, session, crash, code):
    return hmac.new(key, message(session, crash, code), hashlib.sha256).hexdigest()


def verify(key, session, crash, code, signature):
    try:
        given = signature.encode('ascii')  # compare_digest takes no other text
    except (AttributeError, UnicodeError):
        return False
    return hmac.compare_digest(sign(key, session, crash, code).encode('ascii'), given)


VECTORS = [
    (b'key', 'session', 'crash', b'x = 1\n'),
    (b'', '', '', b''),
    (b'k' * 100, 'sess', 'ioncrash', b'x = 1\n'),
    (b'key', 'sessioncrash', '', b'x = 1\n'),
    (bytes(range(256)), u'\u00fcnicode', '17', u'x = "\u540d"\n'.encode('utf-8')),
]

if __name__ == '__main__':
    for vector in VECTORS:
        signature = sign(*vector)
        print(signature)
        assert verify(*vector, signature=signature)
        assert not verify(*vector, signature='0' * 64)
        assert not verify(*vector, signature=signature.upper() + 'x')
        assert not verify(*vector, signature=None)
    assert len({sign(*vector) for vector in VECTORS}) == len(VECTORS)
