"""Reads whom a trigger names: subscribers by id or with their fields, topics, or lists of both."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tidings.api.subscribers import ChangesIn
from tidings.dialect import Dialect
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.events import LARGEST_RECIPIENT_LIST, Recipients, TopicRecipient
from tidings.domain.subscribers import FIELDS, problems
from tidings.hall.errors import plain
from tidings.hall.wire import camel


class ChannelIn(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """Provider credentials to be written with the subscriber."""

    provider_id: str
    integration_identifier: str | UnsetType = UNSET
    credentials: dict[str, Any]


class SubscriberRecipientIn(ChangesIn, kw_only=True, rename="camel"):
    """A subscriber, made if there is none, with the fields to write."""

    type: Literal["Subscriber"] | UnsetType = UNSET
    subscriber_id: str
    channels: list[ChannelIn] | UnsetType | None = UNSET


class TopicRecipientIn(msgspec.Struct, kw_only=True, rename="camel"):
    """Everyone who subscribed to a topic."""

    type: Literal["Topic"] = "Topic"
    topic_key: Annotated[str, Meta(min_length=1, max_length=255)]
    exclude: Annotated[
        list[str] | UnsetType | None,
        Meta(description="`subscriberId`s of members who shall not be notified."),
    ] = UNSET


def recipients_of(given: Any, dialect: Dialect) -> tuple[Recipients, tuple[str, ...]]:
    """Whom it names, and why some were left out. A wrong shape is refused; a `subscriberId` that
    cannot be one is left out, and its neighbours are notified all the same."""
    items = given if isinstance(given, list) else [given]
    if len(items) > LARGEST_RECIPIENT_LIST:
        text = f"must name at most {LARGEST_RECIPIENT_LIST} recipients; use a topic or bulk"
        raise InvalidError.of("to", text)
    subscribers: dict[str, dict[str, Any]] = {}
    topics: list[TopicRecipient] = []
    dropped: list[str] = []
    for number, item in enumerate(items):
        place = f"to.{number}" if isinstance(given, list) else "to"
        if isinstance(item, dict) and (item.get("type") == "Topic" or "topicKey" in item):
            topics.append(_topic(item, place))
            continue
        found = subscriber_of(item, place, dialect)
        key = found["subscriberId"]
        if problem := problems({"key": key}):
            dropped.append(f"{place}.subscriberId {problem['key']}")
        else:
            subscribers[key] = found
    return Recipients(tuple(subscribers.values()), tuple(topics)), tuple(dropped)


def actor_of(given: Any, dialect: Dialect) -> dict[str, Any] | None:
    if given is None:
        return None
    found = subscriber_of(given, "actor", dialect)
    if problem := problems({"key": found["subscriberId"]}):
        raise InvalidError.of("actor.subscriberId", problem["key"], found["subscriberId"])
    return found


def subscriber_of(item: Any, place: str, dialect: Dialect) -> dict[str, Any]:
    """In wire names, what is to be written and nothing else; an empty text clears a field."""
    if isinstance(item, str):
        return {"subscriberId": item.strip()}
    named = _convert(item, SubscriberRecipientIn, place)
    values = named.values()
    if found := problems(values):
        raise InvalidError(
            {
                f"{place}.{camel(name)}": Problem([text], values[name])
                for name, text in found.items()
            }
        )
    said = {camel(name): values[name] for name in FIELDS if name in values}
    subscriber = {"subscriberId": named.subscriber_id.strip(), **said}
    if named.channels:
        subscriber["channels"] = [_channel(each, dialect) for each in named.channels]
    return subscriber


def _channel(channel: ChannelIn, dialect: Dialect) -> dict[str, Any]:
    given: dict[str, Any] = msgspec.to_builtins(channel)
    return {**given, "providerId": dialect.understand(channel.provider_id)}


def _topic(item: dict[str, Any], place: str) -> TopicRecipient:
    topic = _convert(item, TopicRecipientIn, place)
    return TopicRecipient(topic.topic_key, tuple(topic.exclude or ()))


def _convert(item: Any, shape: Any, place: str) -> Any:
    try:
        return msgspec.convert(item, shape)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at ")
        field = place + path.strip("`$")
        if not isinstance(item, dict):
            reason = "must be a subscriberId, a subscriber or a topic"
        raise InvalidError.of(field, plain(reason), item) from None
