"""How a value is written into a text, as the public system writes it."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from liquid.undefined import is_undefined


def as_text(value: Any) -> str:
    """Nothing for what is missing, JSON in single quotes for lists and objects."""
    if isinstance(value, str):
        return value
    if value is None or is_undefined(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, dict | list | tuple):
        return as_json(value)
    if isinstance(value, range):
        return f"{value.start}..{value.stop - 1}"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return ""


def as_json(value: Any, spaces: int = 0) -> str:
    """Single quotes, so that the result can stand inside a JSON text or an attribute."""
    encoded = json.dumps(
        _plain(value),
        ensure_ascii=False,
        separators=(",", ": ") if spaces else (",", ":"),
        indent=spaces or None,
    )
    return encoded.replace('"', "'")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return None
        return int(value) if value.is_integer() else value
    if value is None or isinstance(value, str | bool | int):
        return value
    return as_text(value)


def _number(value: float | Decimal) -> str:
    number = float(value)
    return str(int(number)) if abs(number) < 1e15 and number.is_integer() else str(value)
