"""Subscribers: search, create or update, read, change, remove, many at once, presence."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, Meta, UnsetType, field

from tidings.actions import subscribers as actions
from tidings.dialect import Dialect
from tidings.domain.credentials import ChannelEntry
from tidings.domain.errors import ConflictError, InvalidError, Problem
from tidings.domain.paging import Page
from tidings.domain.scope import Scope
from tidings.domain.subscribers import (
    FIELDS,
    MOST_AT_ONCE,
    Profile,
    Subscriber,
    problems,
)
from tidings.hall.errors import plain
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.query import PAGED, CursorPageOut, InPage
from tidings.hall.wire import Id, Out, Timestamp, camel, iso, unless_none
from tidings.storage import subscribers

_TAGS = ["Subscribers"]

ByKey = Annotated[str, PathParameter(name="subscriberId")]
"""`key`: the caller's name for the subscriber, in the path."""

Text = str | UnsetType | None


class ChangesIn(msgspec.Struct, kw_only=True, rename="camel"):
    """What can be said of a subscriber."""

    first_name: Text = UNSET
    last_name: Text = UNSET
    email: Text = UNSET
    phone: Text = UNSET
    avatar: Annotated[Text, Meta(description="URL or identifier of a picture.")] = UNSET
    locale: Annotated[Text, Meta(description="Such as `en_US`.")] = UNSET
    timezone: Annotated[Text, Meta(description="IANA name, such as `Europe/Paris`.")] = UNSET
    data: Annotated[
        dict[str, Any] | UnsetType | None, Meta(description="Your own data, at most 64 kB.")
    ] = UNSET

    def values(self) -> dict[str, Any]:
        """What is given; an empty text is no text."""
        given = {name: getattr(self, name) for name in FIELDS}
        return {
            name: None if value == "" else value
            for name, value in given.items()
            if value is not UNSET
        }


class SubscriberIn(ChangesIn, kw_only=True, rename="camel"):
    subscriber_id: Annotated[
        str, Meta(description="Your name for the subscriber, typically a user id.")
    ]

    def profile(self) -> Profile:
        values = {"key": self.subscriber_id.strip(), **self.values()}
        refuse(values)
        return Profile(**values)


class BulkIn(msgspec.Struct):
    subscribers: Annotated[
        list[dict[str, Any]],
        Meta(
            min_length=1,
            max_length=MOST_AT_ONCE,
            description="Each as in the creation of one subscriber.",
        ),
    ]


class OnlineIn(msgspec.Struct, rename="camel"):
    is_online: bool


class ChannelOut(Out, frozen=True, kw_only=True):
    """The credentials of one provider and integration."""

    provider_id: str
    integration_identifier: str | UnsetType = UNSET
    credentials: dict[str, Any]
    integration_id: Id = field(name="_integrationId")


class SubscriberOut(Out, frozen=True):
    """A subscriber. Stored JSON (`channels`, `data`) is passed through without reading it."""

    id: Id = field(name="_id")
    subscriber_id: str
    organization_id: Id = field(name="_organizationId")
    environment_id: Id = field(name="_environmentId")
    channels: list[ChannelOut]
    is_online: bool | None
    last_online_at: Timestamp | None
    version: int = field(name="__v")
    deleted: Literal[False]
    created_at: Timestamp
    updated_at: Timestamp
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    avatar: str | None = None
    locale: str | None = None
    topics: Annotated[
        list[str] | UnsetType,
        Meta(description="Deprecated: the keys of its topics; see its subscriptions."),
    ] = UNSET
    data: dict[str, Any] | None = None
    timezone: str | None = None

    @classmethod
    def of(cls, subscriber: Subscriber, scope: Scope, dialect: Dialect) -> "SubscriberOut":
        online_at = subscriber.last_online_at
        channels: Any = _spelled(subscriber.channels, dialect)
        topics: Any = unless_none(subscriber.topics)
        data: Any = subscriber.data
        return cls(
            subscriber.id,
            subscriber.key,
            scope.organization_id,
            scope.environment_id,
            channels,
            subscriber.is_online,
            None if online_at is None else iso(online_at),
            subscriber.version,
            False,
            iso(subscriber.created_at),
            iso(subscriber.updated_at),
            first_name=subscriber.first_name,
            last_name=subscriber.last_name,
            email=subscriber.email,
            phone=subscriber.phone,
            avatar=subscriber.avatar,
            locale=subscriber.locale,
            topics=topics,
            data=data,
            timezone=subscriber.timezone,
        )


class SubscriberPageOut(CursorPageOut, frozen=True, kw_only=True):
    data: list[SubscriberOut]

    @classmethod
    def of(cls, page: Page[Subscriber], scope: Scope, dialect: Dialect) -> "SubscriberPageOut":
        return cls(
            data=[SubscriberOut.of(each, scope, dialect) for each in page.items],
            next=page.next,
            previous=page.previous,
            total_count=page.total,
            total_count_capped=page.capped,
        )


class RemovedOut(Out, frozen=True, kw_only=True):
    acknowledged: Literal[True]
    status: Literal["deleted"]


class NamedOut(Out, frozen=True, kw_only=True):
    subscriber_id: str


class FailedOut(Out, frozen=True, kw_only=True):
    subscriber_id: str
    message: str


class BulkOut(Out, frozen=True, kw_only=True):
    """What became of each subscriber of the request."""

    created: list[NamedOut]
    updated: list[NamedOut]
    failed: list[FailedOut]


FailIfExists = Annotated[
    bool,
    QueryParameter(name="failIfExists", description="Refuse with 409 instead of updating."),
]


@post("/v2/subscribers", tags=_TAGS, summary="Create or update a subscriber")
async def create_subscriber(
    data: JSONBody[SubscriberIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
    fail_if_exists: FailIfExists = False,
) -> SubscriberOut:
    """Makes the subscriber, or writes what is given over the one with this `subscriberId`."""
    profile = data.profile()
    if not fail_if_exists:
        found = await actions.create_or_update(tx, caller.scope, world, profile)
        return SubscriberOut.of(found, caller.scope, dialect)
    found, is_new = await actions.create(tx, caller.scope, world, profile)
    answer = SubscriberOut.of(found, caller.scope, dialect)
    if not is_new:
        raise ConflictError(
            f"A subscriber {found.key!r} exists already. Leave out failIfExists to update it.",
            **msgspec.json.decode(msgspec.json.encode(answer)),
        )
    return answer


@get("/v2/subscribers", tags=_TAGS, summary="Search subscribers", dependencies=PAGED)
async def search_subscribers(
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    asked: InPage,
    email: Annotated[str | None, QueryParameter()] = None,
    name: Annotated[
        str | None, QueryParameter(description="First and last name with a space between.")
    ] = None,
    phone: Annotated[str | None, QueryParameter()] = None,
    subscriber_id: Annotated[str | None, QueryParameter(name="subscriberId")] = None,
) -> SubscriberPageOut:
    """Subscribers that match every filter exactly, upper and lower case told apart."""
    given = {
        "key": subscriber_id,
        "email": email,
        "phone": phone,
        "full_name": name.strip() if name else None,
    }
    filters = {column: value for column, value in given.items() if value}
    page = await subscribers.page(conn, caller.scope, asked, filters)
    return SubscriberPageOut.of(page, caller.scope, dialect)


@get("/v2/subscribers/{subscriberId:str}", tags=_TAGS, summary="Read a subscriber")
async def get_subscriber(
    key: ByKey, conn: Conn, caller: ByCaller, dialect: InDialect
) -> SubscriberOut:
    """One subscriber by its `subscriberId`."""
    found = await subscribers.get(conn, caller.scope, key)
    return SubscriberOut.of(found, caller.scope, dialect)


@patch("/v2/subscribers/{subscriberId:str}", tags=_TAGS, summary="Change a subscriber")
async def patch_subscriber(
    key: ByKey,
    data: JSONBody[ChangesIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> SubscriberOut:
    """Sets the fields given and leaves the others; null clears a field."""
    values = data.values()
    refuse(values)
    found = await actions.change(tx, caller.scope, world, key, values)
    return SubscriberOut.of(found, caller.scope, dialect)


@delete(
    "/v2/subscribers/{subscriberId:str}",
    tags=_TAGS,
    summary="Remove a subscriber",
    status_code=200,
)
async def delete_subscriber(key: ByKey, tx: Tx, caller: ByCaller, world: InWorld) -> RemovedOut:
    """Removes it with its messages, preferences and topic subscriptions; its id is free again."""
    await actions.remove(tx, caller.scope, world, key)
    return RemovedOut(acknowledged=True, status="deleted")


@post("/v1/subscribers/bulk", tags=_TAGS, summary="Create or update many subscribers")
async def create_subscribers(
    data: JSONBody[BulkIn], tx: Tx, caller: ByCaller, world: InWorld
) -> BulkOut:
    """Up to 500 at once. One that breaks a rule fails alone; the others are written."""
    profiles, failed = [], []
    for each in data.subscribers:
        try:
            profiles.append(msgspec.convert(each, SubscriberIn).profile())
        except (msgspec.ValidationError, InvalidError) as error:
            key = str(each.get("subscriberId", ""))
            failed.append(FailedOut(subscriber_id=key, message=_sentence(error)))
    outcomes = await actions.create_or_update_many(tx, caller.scope, world, profiles)
    done = list(zip(profiles, outcomes, strict=True))
    return BulkOut(
        created=[NamedOut(subscriber_id=each.key) for each, what in done if what == "created"],
        updated=[NamedOut(subscriber_id=each.key) for each, what in done if what == "updated"],
        failed=failed,
    )


@patch("/v1/subscribers/{subscriberId:str}/online-status", tags=_TAGS, summary="Set online status")
async def update_subscriber_online_status(
    key: ByKey,
    data: JSONBody[OnlineIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> SubscriberOut:
    """Says whether the subscriber is online; going offline notes the time."""
    found = await actions.set_online(tx, caller.scope, world, key, data.is_online)
    return SubscriberOut.of(found, caller.scope, dialect)


def refuse(values: dict[str, Any]) -> None:
    """Refuse values that break a rule, naming the fields as the caller does."""
    found = problems(values)
    if found:
        raise InvalidError(
            {_wire_name(name): Problem([text], values[name]) for name, text in found.items()}
        )


def _wire_name(name: str) -> str:
    return "subscriberId" if name == "key" else camel(name)


def _sentence(error: msgspec.ValidationError | InvalidError) -> str:
    if isinstance(error, InvalidError):
        return "; ".join(f"{name} {each.messages[0]}" for name, each in error.problems.items())
    return plain(str(error))


def _spelled(channels: msgspec.Raw, dialect: Dialect) -> msgspec.Raw:
    """The stored entries as they are, unless this dialect has another word for a provider."""
    if dialect.word == "svc" or b'"svc' not in bytes(channels):
        return channels
    entries = msgspec.json.decode(channels, type=list[ChannelEntry])
    return msgspec.Raw(
        msgspec.json.encode(
            [
                msgspec.structs.replace(each, provider_id=dialect.spell(each.provider_id))
                for each in entries
            ]
        )
    )


HANDLERS = [
    create_subscriber,
    search_subscribers,
    get_subscriber,
    patch_subscriber,
    delete_subscriber,
    create_subscribers,
    update_subscriber_online_status,
]
