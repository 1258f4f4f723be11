"""Signs mail for a domain: DKIM with rsa-sha256, relaxed headers and body.
https://datatracker.ietf.org/doc/html/rfc6376"""

import base64
import hashlib
import re
from datetime import datetime

import msgspec

from tidings.providers.signing import sign_rsa

_SIGNED = (
    "from",
    "to",
    "cc",
    "reply-to",
    "subject",
    "date",
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "list-unsubscribe",
    "list-unsubscribe-post",
)
_LINE = 72


class Dkim(msgspec.Struct, frozen=True, kw_only=True):
    domain: str
    selector: str
    key: str
    """The private RSA key in PEM form."""


def signed(mail: bytes, dkim: Dkim, at: datetime) -> bytes:
    """The mail with its signature in front. Raises BadKeyError."""
    head, _, body = mail.partition(b"\r\n\r\n")
    headers = _headers(head)
    names = [name for name in _SIGNED if name in headers]
    tags = {
        "v": "1",
        "a": "rsa-sha256",
        "c": "relaxed/relaxed",
        "d": dkim.domain,
        "s": dkim.selector,
        "t": str(int(at.timestamp())),
        "h": ":".join((*names, "from")),  # once more than there are, so that nobody can add one
        "bh": _base64(hashlib.sha256(_relaxed_body(body)).digest()),
        "b": "",
    }
    value = "; ".join(f"{name}={text}" for name, text in tags.items())
    told = b"".join(b"%b:%b\r\n" % (name.encode(), headers[name]) for name in names)
    signature = sign_rsa(dkim.key, told + b"dkim-signature:" + value.encode())
    return f"DKIM-Signature: {_folded(value, _base64(signature))}\r\n".encode() + mail


def _headers(head: bytes) -> dict[str, bytes]:
    """By name in lower case, the values relaxed; of several the last, which is signed first."""
    unfolded = re.sub(rb"\r\n(?=[ \t])", b"", head)
    found = {}
    for line in unfolded.split(b"\r\n"):
        name, _, value = line.partition(b":")
        found[name.strip().lower().decode("latin-1")] = re.sub(rb"[ \t]+", b" ", value).strip(b" ")
    return found


def _relaxed_body(body: bytes) -> bytes:
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in body.split(b"\r\n")]
    while lines and not lines[-1]:
        lines.pop()
    return b"".join(line + b"\r\n" for line in lines)


def _folded(value: str, signature: str) -> str:
    parts = [signature[start : start + _LINE] for start in range(0, len(signature), _LINE)]
    return value.replace("; ", ";\r\n\t") + "\r\n\t".join(parts)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
