"""Reads the reports of vendors that are loose about how they call and how they spell."""

from collections.abc import Callable, Mapping
from typing import Any

from tidings.domain.conditions import at_path
from tidings.providers.events import content, form
from tidings.providers.exchange import Webhook


def fields(webhook: Webhook) -> dict[str, Any]:
    """The query, and over it a form or a JSON object: for vendors that call in several ways."""
    found = content(webhook)
    return {**webhook.query, **(found if isinstance(found, Mapping) else form(webhook))}


def word(*places: str) -> Callable[[Mapping[str, Any]], str]:
    """What stands at the first of these places, in lower case, a number as text."""

    def read(entry: Mapping[str, Any]) -> str:
        values = (at_path(entry, place) for place in places)
        found = next((value for value in values if value not in (None, "")), "")
        return str(found).strip().lower() if isinstance(found, str | int) else ""

    return read
