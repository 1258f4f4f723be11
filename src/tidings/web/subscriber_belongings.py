"""What belongs to a subscriber: credentials, suppressed addresses and topics."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import credentials as credential_actions
from tidings.actions import subscriptions as subscription_actions
from tidings.actions import suppressions as suppression_actions
from tidings.domain.errors import InvalidError, NotFoundError
from tidings.domain.topics import Wanted, key_problem
from tidings.hall.given import InWorld, Tx
from tidings.storage import subscribers
from tidings.web.handlers import change
from tidings.web.subscribers import show_again, suppressed_of
from tidings.web.visit import InVisit


@change(
    "/{environment:str}/subscribers/{id:str}/credentials/remove",
    does="subscriber.remove_credentials",
)
async def remove_credentials(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    provider_id = visit.form.get("provider")
    await credential_actions.remove(tx, visit.scope, world, subscriber.key, provider_id)
    visit.touch(subscriber.id, subscriber.key, provider=provider_id)
    said = f"The credentials of {provider_id} are removed."
    return visit.go(visit.at("subscribers", subscriber.id), said)


@change(
    "/{environment:str}/subscribers/{id:str}/suppression/lift",
    does="suppression.lift",
    again=show_again,
)
async def lift_suppression(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    found = await suppressed_of(visit, tx, subscriber)
    wanted = next((each for each in found if each.channel == visit.form.get("channel")), None)
    if wanted is None:
        raise NotFoundError("The address is not suppressed any more; nothing was changed.")
    channel, address = wanted.channel, wanted.address
    await suppression_actions.lift(tx, visit.scope, world, channel, address)
    visit.touch(subscriber.id, subscriber.key, channel=channel, address=address)
    said = f"Messages go to {address} again."
    return visit.go(visit.at("subscribers", subscriber.id), said)


@change(
    "/{environment:str}/subscribers/{id:str}/topics/add", does="topic.subscribe", again=show_again
)
async def join_topic(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    topic_key = visit.form.get("topic").strip()
    if problem := key_problem(topic_key):
        raise InvalidError.of("topic", problem, topic_key)
    wanted = [Wanted(subscriber.key)]
    await subscription_actions.add(tx, visit.scope, world, topic_key, wanted)
    visit.touch(topic_key, topic_key, subscribers=[subscriber.key])
    return visit.go(visit.at("subscribers", subscriber.id), f"Subscribed to {topic_key}.")


@change("/{environment:str}/subscribers/{id:str}/topics/remove", does="topic.unsubscribe")
async def leave_topic(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    topic_key = visit.form.get("topic")
    wanted = [Wanted(subscriber.key)]
    await subscription_actions.remove(tx, visit.scope, world, topic_key, wanted)
    visit.touch(topic_key, topic_key, subscribers=[subscriber.key])
    return visit.go(visit.at("subscribers", subscriber.id), f"Not subscribed to {topic_key} now.")


HANDLERS = [remove_credentials, lift_suppression, join_topic, leave_topic]
