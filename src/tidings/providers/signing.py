"""Signatures: those we put on requests and those that vendors put on theirs."""

import base64
import binascii
import hashlib
import hmac
from typing import Literal

import msgspec

from tidings.providers.exchange import Encoded

Hash = Literal["sha1", "sha256", "sha512"]
SIGNATURE_HEADER = "X-Tidings-Signature"
"""On the requests of the webhook providers: hex HMAC-SHA256 of the body's bytes."""


class HmacBody(msgspec.Struct, frozen=True, kw_only=True):
    """Signs a request's body: a hex HMAC in a header."""

    key: str
    header: str = SIGNATURE_HEADER
    hash: Hash = "sha256"
    prefix: str = ""

    def headers(self, request: Encoded) -> dict[str, str]:
        return {self.header: self.prefix + hmac_hex(self.key, request.body, self.hash)}


def hmac_hex(key: str | bytes, content: bytes, hash: Hash = "sha256") -> str:
    return hmac.new(_bytes(key), content, hash).hexdigest()


def hmac_base64(key: str | bytes, content: bytes, hash: Hash = "sha256") -> str:
    return base64.b64encode(hmac.new(_bytes(key), content, hash).digest()).decode()


def same(one: str, other: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def sha256_hex(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _bytes(key: str | bytes) -> bytes:
    return key.encode() if isinstance(key, str) else key
