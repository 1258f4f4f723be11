"""Topic subscriptions: which subscribers belong to which topics."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.params import JSONBody, QueryParameter
from msgspec import UNSET, Meta, UnsetType, field

from tidings.actions import subscriptions as actions
from tidings.api.subscribers import ByKey
from tidings.api.topics import ByTopicKey, checked_key
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.paging import Page
from tidings.domain.topics import MOST_AT_ONCE, Changed, Member, Subscription, Wanted
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.query import PAGED, CursorPageOut, InPage
from tidings.hall.wire import Id, Out, PageOut, Timestamp, iso, unless_none
from tidings.storage import subscribers, subscriptions, topics

_TAGS = ["Topics"]


Identifier = Annotated[str, Meta(max_length=512, description="Your name for the subscription.")]
Older = Meta(extra_json_schema={"deprecated": True})


class SubscriptionIn(msgspec.Struct, kw_only=True, rename="camel"):
    subscriber_id: str | UnsetType = UNSET
    identifier: Identifier | UnsetType = UNSET


class SubscriptionsIn(msgspec.Struct, kw_only=True, rename="camel"):
    """Who: `subscriptions` is a list of subscriberIds or of objects; `subscriberIds` is older."""

    subscriptions: list[str | SubscriptionIn] | UnsetType = UNSET
    subscriber_ids: Annotated[
        list[str] | UnsetType, Meta(extra_json_schema={"deprecated": True})
    ] = UNSET

    def wanted(self) -> list[Wanted]:
        given: list[str | SubscriptionIn] = [
            *(self.subscriptions or []),
            *(self.subscriber_ids or []),
        ]
        if not 1 <= len(given) <= MOST_AT_ONCE:
            raise InvalidError.of(
                "subscriptions", f"must name 1 to {MOST_AT_ONCE} subscribers", len(given)
            )
        return [
            Wanted(each)
            if isinstance(each, str)
            else Wanted(each.subscriber_id or None, each.identifier or None)
            for each in given
        ]


class TopicRefOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    key: str
    name: str | UnsetType = UNSET


class MemberOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    subscriber_id: str
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    email: str | UnsetType = UNSET
    avatar: str | UnsetType = UNSET

    @classmethod
    def of(cls, member: Member) -> "MemberOut":
        return cls(
            id=member.id,
            subscriber_id=member.key,
            first_name=unless_none(member.first_name),
            last_name=unless_none(member.last_name),
            email=unless_none(member.email),
            avatar=unless_none(member.avatar),
        )


class SubscriptionOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    identifier: str
    topic: TopicRefOut
    subscriber: MemberOut | None
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, subscription: Subscription) -> "SubscriptionOut":
        topic = subscription.topic
        made_at = iso(subscription.created_at)
        return cls(
            id=subscription.id,
            identifier=subscription.identifier,
            topic=TopicRefOut(id=topic.id, key=topic.key, name=unless_none(topic.name)),
            subscriber=MemberOut.of(subscription.subscriber),
            created_at=made_at,
            updated_at=made_at,
        )


class SubscriptionPageOut(CursorPageOut, frozen=True, kw_only=True):
    data: list[SubscriptionOut]

    @classmethod
    def of(cls, page: Page[Subscription]) -> "SubscriptionPageOut":
        return cls(
            data=[SubscriptionOut.of(each) for each in page.items],
            next=page.next,
            previous=page.previous,
            total_count=page.total,
            total_count_capped=page.capped,
        )


class MetaOut(Out, frozen=True, kw_only=True):
    total_count: int
    successful: int
    failed: int


class FailureOut(Out, frozen=True, kw_only=True):
    subscriber_id: str
    code: str
    message: str


class ChangedOut(PageOut, frozen=True, kw_only=True):
    """What succeeded, how many did, and why the others failed."""

    data: list[SubscriptionOut]
    meta: MetaOut
    errors: list[FailureOut]

    @classmethod
    def of(cls, changed: Changed) -> "ChangedOut":
        """Refuses when nothing succeeded."""
        done, failures = changed.done, changed.failures
        answer = cls(
            data=[SubscriptionOut.of(each) for each in done],
            meta=MetaOut(
                total_count=len(done) + len(failures), successful=len(done), failed=len(failures)
            ),
            errors=[
                FailureOut(subscriber_id=each.subscriber_key, code=each.code, message=each.message)
                for each in failures
            ],
        )
        if not done:
            raise RefusedError(
                "None of the subscriptions could be changed; `errors` says why.",
                **msgspec.to_builtins(answer),
            )
        return answer


@post("/v2/topics/{topicKey:str}/subscriptions", tags=_TAGS, summary="Add topic subscriptions")
async def create_topic_subscriptions(
    key: ByTopicKey, data: JSONBody[SubscriptionsIn], tx: Tx, caller: ByCaller, world: InWorld
) -> ChangedOut:
    """Subscribes up to 100 subscribers, making the topic when it is missing."""
    wanted = _each_with_subscriber(data.wanted())
    topic_key = checked_key(key, "topicKey")
    return ChangedOut.of(await actions.add(tx, caller.scope, world, topic_key, wanted))


@get(
    "/v2/topics/{topicKey:str}/subscriptions",
    tags=_TAGS,
    summary="List topic subscriptions",
    dependencies=PAGED,
)
async def list_topic_subscriptions(
    key: ByTopicKey,
    conn: Conn,
    caller: ByCaller,
    asked: InPage,
    subscriber_id: Annotated[str | None, QueryParameter(name="subscriberId")] = None,
) -> SubscriptionPageOut:
    """The subscribers of a topic."""
    topic = await topics.get(conn, caller.scope, key)
    member_id = None
    if subscriber_id:
        member = await subscribers.find(conn, caller.scope, subscriber_id)
        member_id = "" if member is None else member.id
    page = await subscriptions.page_of_topic(conn, caller.scope, topic.id, asked, member_id)
    return SubscriptionPageOut.of(page)


@delete(
    "/v2/topics/{topicKey:str}/subscriptions",
    tags=_TAGS,
    summary="Remove topic subscriptions",
    status_code=200,
)
async def delete_topic_subscriptions(
    key: ByTopicKey, data: JSONBody[SubscriptionsIn], tx: Tx, caller: ByCaller, world: InWorld
) -> ChangedOut:
    """Takes up to 100 subscribers out of the topic."""
    return ChangedOut.of(await actions.remove(tx, caller.scope, world, key, data.wanted()))


@get(
    "/v2/subscribers/{subscriberId:str}/subscriptions",
    tags=_TAGS,
    summary="List a subscriber's topic subscriptions",
    dependencies=PAGED,
)
async def list_subscriber_subscriptions(
    key: ByKey,
    conn: Conn,
    caller: ByCaller,
    asked: InPage,
    topic_key: Annotated[str | None, QueryParameter(name="key")] = None,
) -> SubscriptionPageOut:
    """The topics of a subscriber."""
    id = await subscribers.id_of(conn, caller.scope, key)
    topic_id = None
    if topic_key:
        topic = await topics.find(conn, caller.scope, topic_key)
        topic_id = "" if topic is None else topic.id
    page = await subscriptions.page_of_subscriber(conn, caller.scope, id, asked, topic_id)
    return SubscriptionPageOut.of(page)


def _each_with_subscriber(wanted: Sequence[Wanted]) -> Sequence[Wanted]:
    for index, each in enumerate(wanted):
        if each.subscriber_key is None:
            raise InvalidError.of(f"subscriptions.{index}.subscriberId", "is required")
    return wanted


HANDLERS = [
    create_topic_subscriptions,
    list_topic_subscriptions,
    delete_topic_subscriptions,
    list_subscriber_subscriptions,
]
