"""Adding subscribers to topics and taking them out; each one succeeds or fails by itself."""

from collections.abc import Callable, Mapping, Sequence

from tidings.actions import topics as topic_actions
from tidings.domain.scope import Scope
from tidings.domain.topics import Changed, Failure, Subscription, Wanted, identifier_of
from tidings.storage import subscriptions, topics
from tidings.storage.database import Connection
from tidings.world import World


async def add(
    tx: Connection, scope: Scope, world: World, topic_key: str, wanted: Sequence[Wanted]
) -> Changed:
    """Subscribe them, making the topic when it is missing. Who is subscribed already stays so."""
    topic = await topics.hold(tx, scope, topic_key)
    if topic is None:
        topic = await topic_actions.create_or_rename(tx, scope, world, topic_key, None)
    keys = list(dict.fromkeys(each.subscriber_key or "" for each in wanted))
    ids = await subscriptions.subscriber_ids(tx, scope, keys)
    named = {each.subscriber_key: each.identifier for each in wanted if each.identifier}
    identifiers = {
        ids[key]: named.get(key) or identifier_of(topic.key, key) for key in keys if key in ids
    }
    new_ids = [world.ids.new() for _ in identifiers]
    await subscriptions.add(tx, scope, topic.id, new_ids, identifiers, world.clock.now())
    found = await subscriptions.of_members(tx, scope, topic.id, list(identifiers))
    by_key = {each.subscriber.key: each for each in found}
    return _sorted_out(keys, by_key, lambda key: _not_added(key, key in ids))


async def remove(
    tx: Connection, scope: Scope, world: World, topic_key: str, wanted: Sequence[Wanted]
) -> Changed:
    """Take them out, by subscriber or by the name of the subscription."""
    topic = await topics.get(tx, scope, topic_key)
    names = list(dict.fromkeys(each.identifier or each.subscriber_key or "" for each in wanted))
    by_identifier = {each.identifier for each in wanted if each.identifier}
    ids = await subscriptions.subscriber_ids(tx, scope, set(names) - by_identifier)
    found = await subscriptions.of_members(tx, scope, topic.id, ids.values(), by_identifier)
    by_name = {
        each.identifier if each.identifier in by_identifier else each.subscriber.key: each
        for each in found
    }
    await subscriptions.remove(tx, scope, [each.id for each in found])
    return _sorted_out(names, by_name, lambda name: _not_removed(name, topic_key))


def _sorted_out(
    names: Sequence[str],
    found: Mapping[str, Subscription],
    failure: Callable[[str], Failure],
) -> Changed:
    return Changed(
        done=[found[name] for name in names if name in found],
        failures=[failure(name) for name in names if name not in found],
    )


def _not_added(key: str, exists: bool) -> Failure:
    if exists:
        return Failure(
            key,
            "IDENTIFIER_TAKEN",
            "The identifier belongs to another subscription of this topic; choose another.",
        )
    return Failure(key, "SUBSCRIBER_NOT_FOUND", f"There is no subscriber {key!r}; create it first.")


def _not_removed(name: str, topic_key: str) -> Failure:
    return Failure(
        name, "SUBSCRIPTION_NOT_FOUND", f"{name!r} is not subscribed to topic {topic_key!r}."
    )
