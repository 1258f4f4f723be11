"""Slugs: a readable name and a short form of the identifier, in one word for a path."""

import re

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_BYTES = 12
_SHORT_LENGTH = 16
_HEX_ID = re.compile(r"[0-9a-f]{24}")


def slugify(name: str) -> str:
    """Lower case letters, digits and hyphens; `New InApp Step` becomes new-in-app-step."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def slug(name: str, kind: str, id: str) -> str:
    """`Welcome`, `wf`, its id -> welcome_wf_fkpziSfHWbOx6E8O."""
    return f"{slugify(name)}_{kind}_{shorten(id)}"


def is_id(text: str) -> bool:
    return _HEX_ID.fullmatch(text) is not None


def shorten(id: str) -> str:
    """An identifier of 24 hex characters in base 62; each leading zero byte gives one zero."""
    data = bytes.fromhex(id)
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "0" * zeros + base62(data)


def lengthen(text: str) -> str | None:
    """The identifier that a slug ends with, if it ends with one."""
    tail = text[-_SHORT_LENGTH:]
    if len(tail) < _SHORT_LENGTH or not (tail.isascii() and tail.isalnum()):
        return None
    number = 0
    for character in tail:
        number = number * 62 + _ALPHABET.index(character)
    if number.bit_length() > 8 * _ID_BYTES:
        return None
    id = number.to_bytes(_ID_BYTES, "big").hex()
    return id if shorten(id) == tail else None


def base62(data: bytes) -> str:
    """The bytes as one big-endian number."""
    number = int.from_bytes(data, "big")
    digits = []
    while number:
        number, rest = divmod(number, 62)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))
