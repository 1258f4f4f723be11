"""How a vendor declares its credentials, once; the form, the checks and the masks read it."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec

from tidings.domain.errors import InvalidError, Problem
from tidings.domain.integrations import CREDENTIAL_KINDS, CREDENTIAL_NAMES
from tidings.providers import references

Format = Literal["url", "host", "port", "email", "sender", "json", "pem", "tls-options"]

MASK = "••••••"
_SHOWN = 4
_LONG_ENOUGH = 12

ALWAYS_SECRET = frozenset(
    {
        "apiKey",
        "apiToken",
        "secretKey",
        "token",
        "password",
        "serviceAccount",
        "accessKey",
        "appSid",
        "authenticationTokenKey",
    }
)
"""Masked even where a vendor does not declare them."""


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One credential of one vendor."""

    name: str
    """As the interface spells it: apiKey, from."""
    label: str
    required: bool = True
    secret: bool = False
    format: Format | None = None
    help: str = ""
    default: str | bool | None = None
    check: Callable[[Any], str | None] | None = None
    """Why a value cannot be used, as the end of a sentence; beside what its format says."""
    together: tuple[str, ...] = ()
    """Names of credentials that are given all or not at all; this one is among them."""

    def __post_init__(self) -> None:
        if self.name not in CREDENTIAL_NAMES:
            raise ValueError(f"{self.name} is not a credential of the interface")

    @property
    def kind(self) -> Literal["string", "boolean", "object"]:
        return CREDENTIAL_KINDS[self.name]


def need(name: str, label: str, **more: Any) -> Field:
    """A credential without which nothing can be sent."""
    return Field(name=name, label=label, **more)


def may(name: str, label: str, **more: Any) -> Field:
    """A credential that may be left out."""
    return Field(name=name, label=label, required=False, **more)


def secret(name: str, label: str, **more: Any) -> Field:
    """A required credential that nobody gets to see again."""
    return Field(name=name, label=label, secret=True, **more)


FROM_EMAIL = need(
    "from", "From address", format="email", help="The address that messages come from."
)
FROM_PHONE = need(
    "from", "From", format="sender", help="The number or name that messages come from."
)
SENDER_NAME = may("senderName", "Sender name", help="Shown beside the address.")

_HOST = re.compile(r"(?!-)[A-Za-z0-9._:-]{1,253}")
_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")


def check(
    fields: Iterable[Field],
    given: Mapping[str, Any],
    active: bool,
    allowed_references: tuple[str, ...],
) -> None:
    """Refuse what cannot work, naming each field by its label. An integration that is switched
    off may be incomplete."""
    problems = {}
    for field in fields:
        value = given.get(field.name)
        if value in (None, ""):
            if active and is_missing(field, given):
                problems[f"credentials.{field.name}"] = Problem([f"{field.label} is required"])
        elif message := _fault(field, value, allowed_references):
            shown = msgspec.UNSET if field.secret else value
            problems[f"credentials.{field.name}"] = Problem([f"{field.label} {message}"], shown)
    declared = {field.name for field in fields}
    for name, value in given.items():
        if name not in declared and (message := _bad_reference(value, allowed_references)):
            problems[f"credentials.{name}"] = Problem([f"{name} {message}"])
    if problems:
        raise InvalidError(problems)


def is_missing(field: Field, given: Mapping[str, Any]) -> bool:
    """Whether nothing can be sent without a credential that is not given."""
    if given.get(field.name) not in (None, "") or field.default is not None:
        return False
    return field.required or any(given.get(name) not in (None, "") for name in field.together)


def _fault(field: Field, value: Any, allowed_references: tuple[str, ...]) -> str | None:
    if references.is_reference(value):
        return _bad_reference(value, allowed_references)
    checks = (field.format and _FORMATS[field.format], field.check)
    return next((fault for check in checks if check and (fault := check(value))), None)


def _bad_reference(value: Any, allowed: tuple[str, ...]) -> str | None:
    if not references.is_reference(value) or references.is_allowed(value, allowed):
        return None
    return f"refers to {value}, which is not allowed here. {references.remedy(allowed)}"


def _url(value: str) -> str | None:
    if re.fullmatch(r"https?://[^\s/@]+(/\S*)?", value):
        return None
    return "must be an address that begins with https:// or http://, without a user name"


def _host(value: str) -> str | None:
    return None if _HOST.fullmatch(value) else "must be a host name, without scheme or path"


def _port(value: str) -> str | None:
    if value.isascii() and value.isdigit() and 1 <= int(value) <= 65535:
        return None
    return "must be a number from 1 to 65535"


def _email(value: str) -> str | None:
    return None if _EMAIL.fullmatch(value) else "must be an e-mail address"


def _sender(value: str) -> str | None:
    return None if value.strip() == value and len(value) <= 64 else "must be a number or a name"


def _json(value: str) -> str | None:
    try:
        decoded = msgspec.json.decode(value)
    except msgspec.DecodeError:
        decoded = None
    return None if isinstance(decoded, dict) else "must be the text of a JSON object"


def _pem(value: str) -> str | None:
    return None if "-----BEGIN" in value else "must be a key in PEM form (-----BEGIN ...)"


_TLS_OPTIONS: dict[str, type] = {
    "rejectUnauthorized": bool,
    "servername": str,
    "ca": str,
    "minVersion": str,
}
_TLS_VERSIONS = ("TLSv1.2", "TLSv1.3")


def _tls_options(value: Mapping[str, Any]) -> str | None:
    for name, option in value.items():
        kind = _TLS_OPTIONS.get(name)
        if kind is None:
            return f"cannot hold {name}; it takes {', '.join(_TLS_OPTIONS)}"
        if not isinstance(option, kind):
            return f"must have {'true or false' if kind is bool else 'text'} as {name}"
    if value.get("minVersion", "TLSv1.2") not in _TLS_VERSIONS:
        return f"must have one of {', '.join(_TLS_VERSIONS)} as minVersion"
    return None


_FORMATS: dict[Format, Callable[[Any], str | None]] = {
    "url": _url,
    "host": _host,
    "port": _port,
    "email": _email,
    "sender": _sender,
    "json": _json,
    "pem": _pem,
    "tls-options": _tls_options,
}


def secret_names(fields: Iterable[Field]) -> frozenset[str]:
    """The vendor's word counts for the fields it declares."""
    declared = {field.name: field.secret for field in fields}
    known = (name for name in ALWAYS_SECRET if name not in declared)
    return frozenset(known) | {name for name, secret in declared.items() if secret}


def mask(value: str) -> str:
    """The last characters of a secret, or none of a short one. A reference is no secret."""
    if value == "" or references.is_reference(value):
        return value
    return MASK + (value[-_SHOWN:] if len(value) >= _LONG_ENOUGH else "")


def masked(given: Mapping[str, Any], secrets: frozenset[str]) -> dict[str, Any]:
    return {
        name: mask(value) if name in secrets and isinstance(value, str) else value
        for name, value in given.items()
    }


def unmasked(
    given: Mapping[str, Any], stored: Mapping[str, Any], secrets: frozenset[str], where: str
) -> dict[str, Any]:
    """What the caller means: a mask that comes back stands for the value it was made of."""
    meant = dict(given)
    for name in secrets & given.keys():
        value = given[name]
        if not (isinstance(value, str) and value.startswith(MASK)):
            continue
        if mask(stored.get(name, "")) != value:
            raise InvalidError.of(
                f"{where}.{name}",
                "is the mask of another value. Send the whole value, or the mask as it was "
                "answered to keep the present one.",
            )
        meant[name] = stored[name]
    return meant
