"""Topics: named groups of subscribers."""

from typing import Annotated, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import topics as actions
from tidings.domain.errors import ConflictError, InvalidError
from tidings.domain.topics import Topic, key_problem, name_problem
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.query import PAGED, CursorPageOut, InPage
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import topics

_TAGS = ["Topics"]

ByTopicKey = Annotated[str, PathParameter(name="topicKey")]
"""`key`: the caller's name for the topic, in the path."""


class TopicIn(msgspec.Struct):
    key: str
    name: str | UnsetType | None = UNSET


class RenameIn(msgspec.Struct):
    name: str


class TopicOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    key: str
    name: str | UnsetType = UNSET
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, topic: Topic) -> "TopicOut":
        return cls(
            id=topic.id,
            key=topic.key,
            name=unless_none(topic.name),
            created_at=iso(topic.created_at),
            updated_at=iso(topic.updated_at),
        )


class TopicPageOut(CursorPageOut, frozen=True, kw_only=True):
    data: list[TopicOut]


class TopicRemovedOut(Out, frozen=True, kw_only=True):
    acknowledged: Literal[True]


@post("/v2/topics", tags=_TAGS, summary="Create or rename a topic")
async def create_topic(
    data: JSONBody[TopicIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    fail_if_exists: Annotated[
        bool,
        QueryParameter(name="failIfExists", description="Refuse with 409 instead of renaming."),
    ] = False,
) -> TopicOut:
    """Makes the topic, or gives the one with this key the name that is sent."""
    key, name = checked_key(data.key), _name(data.name or None)
    if not fail_if_exists:
        return TopicOut.of(await actions.create_or_rename(tx, caller.scope, world, key, name))
    found, is_new = await actions.create(tx, caller.scope, world, key, name)
    if not is_new:
        raise ConflictError(
            f"A topic {key!r} exists already. Leave out failIfExists to rename it.",
            **msgspec.to_builtins(TopicOut.of(found)),
        )
    return TopicOut.of(found)


@get("/v2/topics", tags=_TAGS, summary="List topics", dependencies=PAGED)
async def list_topics(
    conn: Conn,
    caller: ByCaller,
    asked: InPage,
    key: Annotated[str | None, QueryParameter()] = None,
    name: Annotated[str | None, QueryParameter()] = None,
) -> TopicPageOut:
    """Topics that match every filter exactly."""
    given = {"key": key, "name": name}
    filters = {column: value for column, value in given.items() if value}
    page = await topics.page(conn, caller.scope, asked, filters)
    return TopicPageOut(
        data=[TopicOut.of(each) for each in page.items],
        next=page.next,
        previous=page.previous,
        total_count=page.total,
        total_count_capped=page.capped,
    )


@get("/v2/topics/{topicKey:str}", tags=_TAGS, summary="Read a topic")
async def get_topic(key: ByTopicKey, conn: Conn, caller: ByCaller) -> TopicOut:
    """One topic by its key."""
    return TopicOut.of(await topics.get(conn, caller.scope, key))


@patch("/v2/topics/{topicKey:str}", tags=_TAGS, summary="Rename a topic")
async def update_topic(
    key: ByTopicKey, data: JSONBody[RenameIn], tx: Tx, caller: ByCaller, world: InWorld
) -> TopicOut:
    """Gives the topic another name; its key stays."""
    name = _name(data.name)
    if name is None:
        raise InvalidError.of("name", "must not be empty", data.name)
    return TopicOut.of(await actions.rename(tx, caller.scope, world, key, name))


@delete("/v2/topics/{topicKey:str}", tags=_TAGS, summary="Remove a topic", status_code=200)
async def delete_topic(
    key: ByTopicKey, tx: Tx, caller: ByCaller, world: InWorld
) -> TopicRemovedOut:
    """Removes the topic and its subscriptions; the subscribers stay."""
    await actions.remove(tx, caller.scope, world, key)
    return TopicRemovedOut(acknowledged=True)


def checked_key(given: str, field: str = "key") -> str:
    key = given.strip()
    if problem := key_problem(key):
        raise InvalidError.of(field, problem, given)
    return key


def _name(given: str | None) -> str | None:
    if given is None or not given.strip():
        return None
    if problem := name_problem(given.strip()):
        raise InvalidError.of("name", problem, given)
    return given.strip()


HANDLERS = [create_topic, list_topics, get_topic, update_topic, delete_topic]
