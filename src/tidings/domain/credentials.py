"""What a subscriber's devices and chat rooms need, per provider and integration."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from tidings.domain.errors import InvalidError

ProviderId = Literal[
    "slack",
    "discord",
    "msteams",
    "mattermost",
    "ryver",
    "zulip",
    "grafana-on-call",
    "getstream",
    "rocket-chat",
    "whatsapp-business",
    "chat-webhook",
    "svc-slack",
    "fcm",
    "apns",
    "expo",
    "one-signal",
    "pushpad",
    "push-webhook",
    "pusher-beams",
]
PROVIDER_IDS: tuple[ProviderId, ...] = get_args(ProviderId)
MOST_TOKENS = 100
LONGEST_VALUE = 4096

Changes = dict[str, str | list[str] | None]
"""Credentials by name; None takes one away."""


class ChannelEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One element of a subscriber's `channels`, as it is stored and as it is answered."""

    provider_id: str
    integration_identifier: str | UnsetType = UNSET
    credentials: dict[str, Any]
    integration_id: str = msgspec.field(name="_integrationId")


def set_entry(
    entries: Sequence[ChannelEntry], entry: ChannelEntry, changes: Changes, *, unite: bool
) -> list[ChannelEntry]:
    """The entries with these credentials merged into the one of that provider and integration.

    Device tokens are replaced by those given or, to `unite`, added to; an empty list clears them.
    """
    held = _held(entries, entry)
    before = held.credentials if held else {}
    tokens = changes.get("deviceTokens")
    if unite and tokens:
        changes = {**changes, "deviceTokens": [*before.get("deviceTokens", []), *tokens]}
    return _placed(entries, entry, held, {**before, **changes})


def replace_entry(
    entries: Sequence[ChannelEntry], entry: ChannelEntry, credentials: Changes
) -> list[ChannelEntry]:
    """The entries with the one of that provider and integration holding just these credentials."""
    return _placed(entries, entry, _held(entries, entry), credentials)


def without(entries: Iterable[ChannelEntry], provider_id: str) -> list[ChannelEntry]:
    return [each for each in entries if each.provider_id != provider_id]


def _held(entries: Iterable[ChannelEntry], entry: ChannelEntry) -> ChannelEntry | None:
    return next((each for each in entries if _same(each, entry)), None)


def _same(one: ChannelEntry, other: ChannelEntry) -> bool:
    return (one.provider_id, one.integration_id) == (other.provider_id, other.integration_id)


def _placed(
    entries: Sequence[ChannelEntry],
    entry: ChannelEntry,
    held: ChannelEntry | None,
    credentials: Changes,
) -> list[ChannelEntry]:
    identifier = entry.integration_identifier
    if identifier is UNSET and held is not None:
        identifier = held.integration_identifier
    placed = msgspec.structs.replace(
        entry, credentials=_checked(credentials), integration_identifier=identifier
    )
    if held is None:
        return [*entries, placed]
    return [placed if each is held else each for each in entries]


def _checked(credentials: Changes) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in credentials.items():
        if isinstance(value, list):
            kept[name] = list(dict.fromkeys(value))
        elif value is not None:
            kept[name] = value
        _check(name, kept.get(name))
    return kept


def _check(name: str, value: str | list[str] | None) -> None:
    texts = value if isinstance(value, list) else [value or ""]
    if len(texts) > MOST_TOKENS:
        message = f"must have at most {MOST_TOKENS} tokens for one provider and integration"
    elif any(len(text) > LONGEST_VALUE or "\0" in text for text in texts):
        message = f"must have at most {LONGEST_VALUE} characters and no NUL character"
    else:
        return
    raise InvalidError.of(f"credentials.{name}", message)
