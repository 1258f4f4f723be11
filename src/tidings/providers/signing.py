"""Signatures: those we put on requests and those that vendors put on theirs."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from tidings.providers.exchange import Encoded, Webhook

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


class SigV4(msgspec.Struct, frozen=True, kw_only=True):
    """Signs a request for Amazon's services.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html"""

    access_key: str
    secret_key: str
    region: str
    service: str
    at: datetime

    def headers(self, request: Encoded) -> dict[str, str]:
        parts = urlsplit(request.url)
        stamp = self.at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        signed = {"host": parts.netloc, "x-amz-date": stamp}
        for name, value in request.headers.items():
            if name.lower() == "content-type":
                signed["content-type"] = " ".join(value.split())
        names = ";".join(sorted(signed))
        canonical = "\n".join(
            (
                request.method,
                quote(parts.path or "/", safe="/~"),
                _canonical_query(parts.query),
                *(f"{name}:{signed[name]}" for name in sorted(signed)),
                "",
                names,
                sha256_hex(request.body),
            )
        )
        scope = f"{stamp[:8]}/{self.region}/{self.service}/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{sha256_hex(canonical.encode())}"
        key = f"AWS4{self.secret_key}".encode()
        for step in scope.split("/"):
            key = hmac.new(key, step.encode(), "sha256").digest()
        return {
            "X-Amz-Date": stamp,
            "Authorization": f"AWS4-HMAC-SHA256 Credential={self.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={hmac_hex(key, text.encode())}",
        }


def _canonical_query(query: str) -> str:
    """Sorted by name and value; it is encoded already."""
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return "&".join(f"{name}={value}" for name, _, value in sorted(pairs))


class BadKeyError(Exception):
    """A private key that cannot be read; the message says so without showing it."""


def jwt(
    algorithm: Literal["RS256", "ES256"],
    key: str,
    claims: Mapping[str, Any],
    header: Mapping[str, Any],
) -> str:
    """A signed token; `key` is the private key in PEM form, its line ends perhaps written `\\n`."""
    private = _readable(key)
    head = {"alg": algorithm, "typ": "JWT", **header}
    unsigned = b".".join(_base64url(msgspec.json.encode(dict(part))) for part in (head, claims))
    if algorithm == "RS256" and isinstance(private, rsa.RSAPrivateKey):
        signature = private.sign(unsigned, padding.PKCS1v15(), SHA256())
    elif algorithm == "ES256" and isinstance(private, ec.EllipticCurvePrivateKey):
        r, s = decode_dss_signature(private.sign(unsigned, ec.ECDSA(SHA256())))
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    else:
        raise BadKeyError("The private key is of another kind than this vendor uses.")
    return (unsigned + b"." + _base64url(signature)).decode()


def sign_rsa(key: str, content: bytes) -> bytes:
    """The signature of a private RSA key in PEM form: SHA-256, PKCS #1 v1.5."""
    private = _readable(key)
    if not isinstance(private, rsa.RSAPrivateKey):
        raise BadKeyError("The private key is not an RSA key.")
    return private.sign(content, padding.PKCS1v15(), SHA256())


def _readable(key: str) -> PrivateKeyTypes:
    try:
        return _private_key(key)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadKeyError(
            "The private key cannot be read: it must be whole, in PEM form."
        ) from None


@lru_cache(maxsize=64)
def _private_key(pem: str) -> PrivateKeyTypes:
    """Kept, because reading an RSA key checks its primes, which takes a tenth of a second."""
    return load_pem_private_key(pem.replace("\\n", "\n").encode(), None)


def _base64url(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def is_ecdsa(public_key: str, signature: str, content: bytes) -> bool:
    """Whether a signature (base64 of DER, SHA-256) is that key's (P-256, base64 of DER, or PEM)."""
    body = "".join(re.sub(r"-----[^-]+-----", "", public_key).split())
    try:
        key = load_der_public_key(from_base64(body) or b"")
        if not isinstance(key, ec.EllipticCurvePublicKey):
            return False
        key.verify(from_base64(signature) or b"", content, ec.ECDSA(SHA256()))
    except (ValueError, UnsupportedAlgorithm, InvalidSignature):
        return False
    return True


def is_ed25519(public_key: bytes, signature: bytes, content: bytes) -> bool:
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public_key).verify(signature, content)
    except (ValueError, InvalidSignature):
        return False
    return True


def is_rsa(certificate: bytes, signature: str, content: bytes, hash: Hash = "sha256") -> bool:
    """Whether a signature (base64) is that of the key in a certificate in PEM form."""
    algorithm = SHA1() if hash == "sha1" else SHA256()  # noqa: S303
    try:
        key = load_pem_x509_certificate(certificate).public_key()
        if not isinstance(key, rsa.RSAPublicKey):
            return False
        key.verify(from_base64(signature) or b"", content, padding.PKCS1v15(), algorithm)
    except (ValueError, UnsupportedAlgorithm, InvalidSignature):
        return False
    return True


def knows_secret(webhook: Webhook, secret: str) -> bool:
    """For vendors that do not sign: the secret that was put into the address they call, as `token`
    in the query or as the password in front of the host, or into a header where they let one be
    chosen."""
    scheme, _, value = webhook.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        value = (from_base64(value) or b"").decode("utf-8", "replace").partition(":")[2]
    shown = (webhook.query.get("token", ""), value, webhook.headers.get("x-webhook-token", ""))
    return bool(secret) and any(same(each, secret) for each in shown)


def is_recent(webhook: Webhook, signed_at: datetime | None, within: timedelta) -> bool:
    return signed_at is not None and abs(webhook.at - signed_at) <= within


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
