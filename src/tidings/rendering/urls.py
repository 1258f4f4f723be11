"""Which addresses may stand in a link, and which in an image."""

import re

_LINKS = frozenset(("http", "https", "mailto", "tel"))
_IMAGES = frozenset(("http", "https", "cid"))
_REDIRECTS = frozenset(("http", "https"))
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_LONGEST = 8_192


def link(value: str) -> str:
    """The address, or nothing if a click on it could do more than open it."""
    return _allowed(value, _LINKS)


def image(value: str) -> str:
    return _allowed(value, _IMAGES)


def redirect(value: str) -> str:
    """An address in the web or a path of the reader's own application."""
    address = _allowed(value, _REDIRECTS)
    return address if address.startswith("/") or _SCHEME.match(address) else ""


def _allowed(value: str, schemes: frozenset[str]) -> str:
    address = value.strip()
    if not address or len(address) > _LONGEST:
        return ""
    # Readers skip characters that cannot be seen, so a scheme may hide between them.
    seen = _UNSEEN.sub("", address)
    scheme = _SCHEME.match(seen)
    if scheme:
        return seen if scheme.group(1).lower() in schemes else ""
    if ":" in re.split(r"[/?#]", seen, maxsplit=1)[0]:
        return ""
    return seen.replace("\\", "/")
