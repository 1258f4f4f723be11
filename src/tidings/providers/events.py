"""Reads what vendors report in their webhooks: the entries of a body, and each as our event."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs

import msgspec

from tidings.domain.conditions import at_path
from tidings.providers.blocks import moment
from tidings.providers.exchange import Webhook
from tidings.providers.outcomes import Event, Happened


def content(webhook: Webhook) -> Any:
    """The body as JSON; None when it is something else."""
    try:
        return msgspec.json.decode(webhook.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def entries(webhook: Webhook, place: str = "") -> list[Mapping[str, Any]]:
    """The objects of a JSON body, which may be one or a list, or a list at `place`."""
    return objects(at_path(content(webhook), place) if place else content(webhook))


def objects(value: Any) -> list[Mapping[str, Any]]:
    several = value if isinstance(value, list) else [value]
    return [each for each in several if isinstance(each, Mapping)]


def form(webhook: Webhook) -> dict[str, str]:
    """The fields of a URL-encoded body; of a repeated field the first."""
    parsed = parse_qs(webhook.body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in parsed.items()}


class Events(msgspec.Struct, frozen=True, kw_only=True):
    """Where a vendor's entries say what. Each place is a path, or several of which the first that
    leads somewhere counts."""

    names: Mapping[str, Happened]
    """The vendor's words as ours; an entry with another word is passed over."""
    name: str | Callable[[Mapping[str, Any]], Any]
    message_id: tuple[str, ...]
    at: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    reason: tuple[str, ...] = ()

    def read(self, found: Iterable[Mapping[str, Any]]) -> list[Event]:
        return [event for entry in found if (event := self._one(entry))]

    def _one(self, entry: Mapping[str, Any]) -> Event | None:
        name = at_path(entry, self.name) if isinstance(self.name, str) else self.name(entry)
        happened = self.names.get(name) if isinstance(name, str) else None
        message_id = _text(entry, self.message_id).strip("<>")
        if happened is None or not message_id:
            return None
        return Event(
            message_id=message_id,
            happened=happened,
            at=moment(_first(entry, self.at)),
            id=_text(entry, self.id) or None,
            target=_text(entry, self.target) or None,
            reason=_text(entry, self.reason)[:500],
        )


def _first(entry: Mapping[str, Any], places: tuple[str, ...]) -> Any:
    values = (at_path(entry, place) for place in places)
    return next((value for value in values if value not in (None, "")), None)


def _text(entry: Mapping[str, Any], places: tuple[str, ...]) -> str:
    value = _first(entry, places)
    return str(value) if isinstance(value, str | int | float) else ""
