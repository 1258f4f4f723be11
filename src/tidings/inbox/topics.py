"""Topics that a subscriber joins and leaves by itself, where the operator lets subscribers do so.

A subscriber has one subscription to a topic. The name it gives it is its own: others may give
theirs the same.
"""

from fnmatch import fnmatchcase
from typing import Annotated, Any

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.params import JSONBody, PathParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.actions import subscriptions as actions
from tidings.actions.sessions import Rules
from tidings.domain.errors import ForbiddenError, InvalidError, NotFoundError, RefusedError
from tidings.domain.scope import Scope
from tidings.domain.topics import Subscription, Wanted, identifier_of, key_problem
from tidings.hall.given import Conn, InWorld, Tx
from tidings.hall.wire import Id, Out
from tidings.inbox.auth import ByVisitor
from tidings.inbox.sessions import WithRules
from tidings.inbox.tokens import Visitor
from tidings.storage import subscriptions, topics
from tidings.storage.database import Connection

ByTopic = Annotated[str, PathParameter(name="topicKey")]
ByIdentifier = Annotated[str, PathParameter(name="identifier")]
_ALL = "/topics/{topicKey:str}/subscriptions"
_ONE = _ALL + "/{identifier:str}"


class ChoiceIn(msgspec.Struct, kw_only=True):
    enabled: bool = True
    condition: dict[str, Any] | bool | None = None


class SubscriptionIn(msgspec.Struct, kw_only=True):
    identifier: Annotated[str | None, Meta(description="The subscriber's name for it.")] = None
    preferences: list[str | ChoiceIn] | None = None

    def refuse_conditions(self) -> None:
        """A subscription holds for all workflows that are triggered for the topic."""
        for each in self.preferences or ():
            if isinstance(each, ChoiceIn) and (not each.enabled or each.condition is not None):
                raise _unsupported()


class SubscriptionOut(Out, frozen=True, kw_only=True):
    id: Id
    identifier: str
    topic_key: str
    name: str | UnsetType = UNSET

    @classmethod
    def of(cls, subscription: Subscription) -> "SubscriptionOut":
        topic, owner = subscription.topic, subscription.subscriber
        own = subscription.identifier
        if own != identifier_of(topic.key, owner.key):
            own = own.removesuffix(_suffix(owner.key))
        return cls(id=subscription.id, identifier=own, topic_key=topic.key)


@get(_ALL, summary="List the subscription to a topic")
async def list_inbox_subscriptions(
    key: ByTopic, conn: Conn, visitor: ByVisitor
) -> list[SubscriptionOut]:
    """The one the subscriber has, or none."""
    found = await _find(conn, visitor.scope, visitor, key)
    return [] if found is None else [SubscriptionOut.of(found)]


@post(_ALL, summary="Join a topic")
async def create_inbox_subscription(
    key: ByTopic,
    data: JSONBody[SubscriptionIn],
    tx: Tx,
    visitor: ByVisitor,
    world: InWorld,
    rules: WithRules,
) -> SubscriptionOut:
    """Makes the topic when it is missing."""
    data.refuse_conditions()
    _refuse_closed(rules, key)
    if problem := key_problem(key):
        raise InvalidError.of("topicKey", problem, key)
    owner = visitor.subscriber_key
    identifier = f"{data.identifier}{_suffix(owner)}" if data.identifier else None
    done = await actions.add(tx, visitor.scope, world, key, [Wanted(owner, identifier)])
    if not done.done:
        raise RefusedError(done.failures[0].message, topicKey=key)
    return SubscriptionOut.of(done.done[0])


@get(_ONE, summary="Read the subscription to a topic")
async def get_inbox_subscription(
    key: ByTopic, identifier: ByIdentifier, conn: Conn, visitor: ByVisitor
) -> Response[SubscriptionOut | None]:
    """204 when there is none."""
    found = await _find(conn, visitor.scope, visitor, key, identifier)
    if found is None:
        return Response(None, status_code=204)
    return Response(SubscriptionOut.of(found))


@patch(_ONE, summary="Change the subscription to a topic")
async def update_inbox_subscription(
    key: ByTopic,
    identifier: ByIdentifier,
    data: JSONBody[SubscriptionIn],
    tx: Tx,
    visitor: ByVisitor,
) -> SubscriptionOut:
    """There is nothing to change yet but what holds for every subscription."""
    data.refuse_conditions()
    found = await _find(tx, visitor.scope, visitor, key, identifier)
    return SubscriptionOut.of(_present(found, key))


@delete(_ONE, summary="Leave a topic")
async def delete_inbox_subscription(
    key: ByTopic, identifier: ByIdentifier, tx: Tx, visitor: ByVisitor
) -> None:
    found = _present(await _find(tx, visitor.scope, visitor, key, identifier), key)
    await subscriptions.remove(tx, visitor.scope, [found.id])


@patch(
    "/subscriptions/{identifier:str}/preferences/{workflowId:str}",
    summary="Change a workflow within a subscription",
)
async def update_inbox_subscription_preference(
    identifier: ByIdentifier,
    workflow_id: Annotated[str, PathParameter(name="workflowId")],
    visitor: ByVisitor,
) -> None:
    """Not supported: answers 400 and says what is."""
    raise _unsupported()


async def _find(
    connection: Connection,
    scope: Scope,
    visitor: Visitor,
    topic_key: str,
    identifier: str | None = None,
) -> Subscription | None:
    topic = await topics.find(connection, scope, topic_key)
    if topic is None:
        return None
    own = await subscriptions.of_members(connection, scope, topic.id, [visitor.subscriber_id])
    names = (identifier, f"{identifier}{_suffix(visitor.subscriber_key)}")
    return next((each for each in own if identifier is None or each.identifier in names), None)


def _suffix(subscriber_key: str) -> str:
    return f":si={subscriber_key}"


def _refuse_closed(rules: Rules, topic_key: str) -> None:
    if not any(fnmatchcase(topic_key, pattern) for pattern in rules.open_topics):
        raise ForbiddenError(
            f"Subscribers may not join the topic {topic_key!r} by themselves. The operator can "
            "allow it with TIDINGS_INBOX_TOPICS.",
            topicKey=topic_key,
        )


def _present(found: Subscription | None, topic_key: str) -> Subscription:
    if found is None:
        raise NotFoundError(
            f"There is no such subscription to the topic {topic_key!r}.", topicKey=topic_key
        )
    return found


def _unsupported() -> RefusedError:
    return RefusedError(
        "A subscription cannot switch single workflows off or set conditions; change the "
        "preference of the workflow with PATCH /v1/inbox/preferences/{workflowId}."
    )


HANDLERS = [
    list_inbox_subscriptions,
    create_inbox_subscription,
    get_inbox_subscription,
    update_inbox_subscription,
    delete_inbox_subscription,
    update_inbox_subscription_preference,
]
