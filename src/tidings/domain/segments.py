"""How many SMS a text takes: what one message holds depends on its least common character."""

from typing import Literal

import msgspec

Encoding = Literal["GSM-7", "UCS-2"]

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_DOUBLE = frozenset("\f^{}\\[~]|€")
"""Of the extension table: an escape comes before each."""
_SIZES: dict[Encoding, tuple[int, int]] = {"GSM-7": (160, 153), "UCS-2": (70, 67)}
"""What one message holds, and what each of several does, which also carry their order."""


class Segments(msgspec.Struct, frozen=True, kw_only=True):
    encoding: Encoding
    units: int
    count: int
    left: int
    """Units that still fit into the last message."""
    rare: str = ""
    """The first character that only UCS-2 has."""


def segments(text: str) -> Segments:
    rare = next((c for c in text if c not in _BASIC and c not in _DOUBLE), "")
    encoding: Encoding = "UCS-2" if rare else "GSM-7"
    sizes = [_size(character, encoding) for character in text]
    alone, shared = _SIZES[encoding]
    units = sum(sizes)
    if units <= alone:
        return Segments(
            encoding=encoding,
            units=units,
            count=1 if text else 0,
            left=alone - units,
            rare=rare,
        )
    count, used = 1, 0
    for size in sizes:
        if used + size > shared:  # a character is never split between two messages
            count, used = count + 1, 0
        used += size
    return Segments(encoding=encoding, units=units, count=count, left=shared - used, rare=rare)


def _size(character: str, encoding: Encoding) -> int:
    if encoding == "GSM-7":
        return 2 if character in _DOUBLE else 1
    return 2 if ord(character) > 0xFFFF else 1
