"""Fills `{{to}}`, `{{content}}` or `{{customData.order}}` into texts that an integration holds.

Not a template language: no conditions, no filters. A text is taken apart first and filled after, so
a value can never become part of the address, the JSON or the form around it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, quote

import msgspec

from tidings.domain.conditions import at_path
from tidings.providers.exchange import Body, Form, Json, Raw

Values = Mapping[str, Any]
_PLACE = re.compile(r"\{\{\s*([A-Za-z]\w*(?:\.[\w-]+)*)\s*\}\}")
_FORM = re.compile(r"[^\s={}&]+=[^\s]*")
_AUTHORITY = re.compile(r"[a-z]+://[^/?#]*", re.IGNORECASE)


def names(text: str) -> set[str]:
    """What a text refers to, without the paths into it."""
    return {place.partition(".")[0] for place in _PLACE.findall(text)}


def fault(text: str, known: Iterable[str]) -> str | None:
    """Why a text cannot be filled, as the end of a sentence."""
    if unknown := sorted(names(text) - set(known)):
        places = " and ".join("{{" + name + "}}" for name in unknown)
        return f"must not hold {places}; it can be filled with {', '.join(sorted(known))}"
    left = _PLACE.sub("", text)
    if "{{" in left:
        return "holds {{ that begins no placeholder; one is written {{to}} or {{customData.order}}"
    return None


def body_fault(text: str, known: Iterable[str]) -> str | None:
    if _is_json(text):
        try:
            msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            return f'must be JSON with its placeholders inside quotes, as in "{{{{to}}}}": {error}'
    return fault(text, known)


def url_fault(text: str, known: Iterable[str]) -> str | None:
    authority = _AUTHORITY.match(text)
    if authority and "{{" in authority[0]:
        return "must name its host without placeholders; they may stand in the path and the query"
    return fault(text, known)


def fill(text: str, values: Values, written: Callable[[str], str] = str) -> str:
    """`written` makes a value safe for where it stands."""
    return _PLACE.sub(lambda match: written(_text(at_path(values, match[1]))), text)


def fill_url(text: str, values: Values) -> str:
    """The host stays as it is."""
    if "{{" not in text:
        return text
    authority = _AUTHORITY.match(text)
    start = authority.end() if authority else 0
    return text[:start] + fill(text[start:], values, lambda value: quote(value, safe=""))


def fill_header(text: str, values: Values) -> str:
    return " ".join(fill(text, values).split())


def fill_body(text: str, values: Values) -> Body:
    """JSON, XML, a form or plain text: how the text begins tells which."""
    if _is_json(text):
        return Json(_fill_json(msgspec.json.decode(text), values))
    if text.lstrip().startswith("<"):
        return Raw(fill(text, values, escape).encode(), "application/xml")
    if _FORM.fullmatch(text):
        fields: dict[str, list[str]] = {}
        for name, value in parse_qsl(text, keep_blank_values=True):
            fields.setdefault(name, []).append(fill(value, values))
        return Form(fields)
    return Raw(fill(text, values).encode(), "text/plain; charset=utf-8")


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and not text.lstrip().startswith("{{")


def _fill_json(value: Any, values: Values) -> Any:
    """A text that is one placeholder becomes the value itself, whatever its kind; without a value
    its field is left out."""
    if isinstance(value, dict):
        filled = {fill(name, values): _fill_json(each, values) for name, each in value.items()}
        return {name: each for name, each in filled.items() if each is not msgspec.UNSET}
    if isinstance(value, list):
        every = (_fill_json(each, values) for each in value)
        return [each for each in every if each is not msgspec.UNSET]
    if not isinstance(value, str):
        return value
    if whole := _PLACE.fullmatch(value):
        found = at_path(values, whole[1])
        return msgspec.UNSET if found in (None, "", [], {}, ()) else found
    return fill(value, values)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    return msgspec.json.encode(value).decode()
