"""Whom a job's message goes to, and through which integrations it may go."""

from collections.abc import Sequence
from typing import Any

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.credentials import ChannelEntry
from tidings.domain.integrations import Integration, candidates
from tidings.engine.catching import catcher
from tidings.engine.run import Run

_ENTRIES = msgspec.json.Decoder(list[ChannelEntry])


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One address that a job's message goes to."""

    key: str = ""
    address: dict[str, Any] = {}
    integrations: list[Integration] = []
    """In the order in which they are to be tried."""
    subject: dict[str, Any] = {}
    """The subscriber's credentials for it."""


class Missing(msgspec.Struct, frozen=True):
    """Why there is nobody to send to."""

    detail: str
    error_id: str
    failed: bool = False
    """The environment lacks something, not the subscriber."""


def targets(run: Run, position: int) -> list[Target] | Missing:
    channel: Channel = run.jobs[position].type  # type: ignore[assignment]
    if channel in ("email", "sms"):
        return _single(run, channel)
    return _several(run, channel)


def left(run: Run, position: int) -> list[Target] | Missing:
    """Those that no earlier attempt reached, without the integrations that it tried in vain."""
    found = targets(run, position)
    state = run.jobs[position].state
    if isinstance(found, Missing) or not state:
        return found
    reached, tried = state.get("sent", ()), state.get("tried", ())
    return [_untried(each, tried) for each in found if each.key not in reached]


def _untried(target: Target, tried: Sequence[str]) -> Target:
    kept = [each for each in target.integrations if each.id not in tried]
    return msgspec.structs.replace(target, integrations=kept or target.integrations)


def address_of(run: Run, channel: Channel) -> str | None:
    """Where an e-mail or a text message goes: one address."""
    overrides = channel_overrides(run, channel)
    if channel == "email":
        return overrides.get("toRecipient") or run.subscriber.email
    return overrides.get("to") or run.subscriber.phone


def _single(run: Run, channel: Channel) -> list[Target] | Missing:
    overrides = channel_overrides(run, channel)
    address = address_of(run, channel)
    if not address and channel == "email":
        return Missing("Subscriber is missing an email address", "mail_unexpected_error")
    if not address:
        return Missing("Subscriber is missing a phone number", "no_subscriber_phone")
    fitting = _fitting(run, channel, overrides.get("integrationIdentifier"))
    if not fitting and (ours := catcher(run, channel)):
        fitting = [ours]
    if not fitting:
        return Missing(
            "Subscriber does not have an active integration",
            f"{channel}_missing_integration_error",
            failed=True,
        )
    name = "email" if channel == "email" else "phone"
    return [Target(key="", address={name: address}, integrations=fitting)]


def _several(run: Run, channel: Channel) -> list[Target] | Missing:
    """Every chat room and every device the subscriber has."""
    fitting = {each.id: each for each in _fitting(run, channel, None)}
    entries = _ENTRIES.decode(run.subscriber.channels)
    found: list[Target] = []
    for entry in entries:
        integration = fitting.get(entry.integration_id)
        if integration is not None:
            found += _entry_targets(channel, integration, entry)
    if found:
        return found
    if ours := catcher(run, channel):
        return [_caught_target(channel, ours, entries)]
    if not any(each.channel == channel for each in run.surroundings.integrations):
        return Missing(
            "Subscriber does not have an active integration",
            f"{channel}_missing_integration_error",
            failed=True,
        )
    return Missing(
        "Subscriber does not have a configured channel",
        "no_subscriber_chat_channel_id" if channel == "chat" else "no_subscriber_push_token",
    )


def _caught_target(channel: Channel, ours: Integration, entries: list[ChannelEntry]) -> Target:
    """One for all the subscriber has, which may be nothing."""
    every = [entry.credentials for entry in entries]
    if channel == "push":
        tokens = [token for each in every for token in each.get("deviceTokens", ())]
        return Target(address={"deviceTokens": tokens} if tokens else {}, integrations=[ours])
    room = next((each for each in every if each.get("webhookUrl") or each.get("channel")), {})
    place = room.get("webhookUrl")
    address = {"webhookUrl": place} if place else {}
    return Target(address=address, integrations=[ours], subject=room)


def _entry_targets(channel: Channel, integration: Integration, entry: ChannelEntry) -> list[Target]:
    credentials = entry.credentials
    if channel == "push":
        return [
            Target(
                key=f"{integration.id}:{token}",
                address={"deviceTokens": [token]},
                integrations=[integration],
                subject=credentials,
            )
            for token in credentials.get("deviceTokens", ())
        ]
    place = credentials.get("webhookUrl") or credentials.get("channel") or ""
    return [
        Target(
            key=f"{integration.id}:{place}",
            address={"webhookUrl": place} if place else {},
            integrations=[integration],
            subject=credentials,
        )
    ]


def _fitting(run: Run, channel: Channel, identifier: str | None) -> list[Integration]:
    data: Any = {"subscriber": run.person, "payload": run.event.payload}
    found = candidates(run.surroundings.integrations, channel, data, identifier)
    return [candidate.integration for candidate in found]


def channel_overrides(run: Run, channel: str) -> dict[str, Any]:
    said = run.event.overrides.get(channel)
    nested = run.event.overrides.get("channels", {}).get(channel)
    return {**(said if isinstance(said, dict) else {}), **(nested or {})}
