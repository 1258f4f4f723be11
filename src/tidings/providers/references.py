"""Credentials kept elsewhere: `env:NAME` and `file:PATH`, looked up when they are needed."""

import os
import posixpath
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

_LARGEST = 64 * 1024


class UnresolvedError(Exception):
    """A reference that leads nowhere; the message says which and why."""


def is_reference(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("env:", "file:"))


def is_allowed(reference: str, allowed: tuple[str, ...]) -> bool:
    """Whether the operator lets credentials refer to this. A path must be written plainly, so that
    `..` cannot lead out of an allowed folder."""
    kind, _, place = reference.partition(":")
    if kind == "file" and posixpath.normpath(place) != place:
        return False
    return any(fnmatchcase(reference, pattern) for pattern in allowed)


def remedy(allowed: tuple[str, ...]) -> str:
    return (
        f"Allowed are {', '.join(allowed) or 'none'}; the operator can add to them with "
        "TIDINGS_CREDENTIAL_REFERENCES."
    )


def resolve(
    credentials: Mapping[str, Any],
    allowed: tuple[str, ...],
    environ: Mapping[str, str] = os.environ,
) -> dict[str, Any]:
    return {
        name: _value(value, allowed, environ) if is_reference(value) else value
        for name, value in credentials.items()
    }


def _value(reference: str, allowed: tuple[str, ...], environ: Mapping[str, str]) -> str:
    kind, _, place = reference.partition(":")
    if not is_allowed(reference, allowed):
        raise UnresolvedError(f"{reference} is not allowed here. {remedy(allowed)}")
    if kind == "env":
        if place not in environ:
            raise UnresolvedError(f"{reference}: the server has no environment variable {place}.")
        return environ[place]
    try:
        with Path(place).open("rb") as file:
            return file.read(_LARGEST).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnresolvedError(f"{reference}: {getattr(error, 'strerror', error)}.") from None
