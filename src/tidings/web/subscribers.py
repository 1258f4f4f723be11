"""Subscribers: finding them, and what is known of each."""

from typing import Any

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import subscribers as actions
from tidings.domain.channels import Channel
from tidings.domain.credentials import ChannelEntry
from tidings.domain.errors import ConflictError, InvalidError, Problem
from tidings.domain.explaining import account
from tidings.domain.messages import canonical
from tidings.domain.paging import Asked, Page
from tidings.domain.subscribers import FIELDS, Profile, Subscriber, problems
from tidings.domain.suppressions import Suppression
from tidings.hall.given import Conn, InWorld, Tx
from tidings.hall.pages import window
from tidings.storage import notifications, subscribers, subscriptions, suppressions, workflows
from tidings.storage.database import Connection
from tidings.web import samples, telling
from tidings.web.form import Form
from tidings.web.handlers import Entry, change, view
from tidings.web.visit import InVisit, Visit

SHOWN = 25
_TIMELINE = 20
_TOPICS = 50
_FILTERS = {"subscriberId": "key", "email": "email", "phone": "phone", "name": "full_name"}
_CHANNELS_OF: tuple[tuple[Channel, str], ...] = (("email", "email"), ("sms", "phone"))


class Credentials(msgspec.Struct, frozen=True):
    """What a subscriber has of one provider and integration, masked."""

    provider_id: str
    integration: str
    values: list[tuple[str, str]]


@view("/{environment:str}/subscribers")
async def show_subscribers(visit: InVisit, conn: Conn) -> Response[str]:
    search = visit.query.get("search").strip().replace("\0", "")
    filters = {
        column: value
        for name, column in _FILTERS.items()
        if (value := visit.query.get(name).strip().replace("\0", ""))
    }
    given = {name: visit.query.get(name).strip() or None for name in _FILTERS}

    def path(after: str | None, before: str | None) -> str:
        return visit.at("subscribers", after=after, before=before, **given)

    if search:
        found = await subscribers.beginning_with(conn, visit.scope, _spellings(search), SHOWN + 1)
        page = Page(
            items=found[:SHOWN], next=None, previous=None, total=len(found[:SHOWN]), capped=False
        )
        more = len(found) > SHOWN
    else:
        asked = Asked(
            after=visit.query.text("after"),
            before=None if visit.query.text("after") else visit.query.text("before"),
            limit=SHOWN,
        )
        page, more = await subscribers.page(conn, visit.scope, asked, filters), False
    return visit.page(
        "subscribers/list.html",
        title="Subscribers",
        found=page,
        more=more,
        search=search,
        given={name: value or "" for name, value in given.items()},
        path=path,
        sample=samples.create_subscriber(visit),
        telling=telling,
    )


def _spellings(text: str) -> list[str]:
    """As it was written, and as names and addresses usually are."""
    return list(dict.fromkeys((text, text.lower(), text.title())))


async def _new(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page("subscribers/new.html", title="New subscriber")


@view("/{environment:str}/subscribers/new", role="editor")
async def show_new_subscriber(visit: InVisit, conn: Conn) -> Response[str]:
    return await _new(visit, conn, {})


@change("/{environment:str}/subscribers/new", does="subscriber.create", again=_new)
async def create_subscriber(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    values = {"key": visit.form.get("key").strip(), **_profile_of(visit.form)}
    _refuse(values)
    made, is_new = await actions.create(tx, visit.scope, world, Profile(**values))
    if not is_new:
        raise ConflictError(
            f"There is a subscriber {made.key!r} already. Choose another id, or search for it and "
            "change it."
        )
    visit.touch(made.id, made.key)
    return visit.go(visit.at("subscribers", made.id), f"{telling.name_of(made)} is there now.")


async def _one(visit: Visit, conn: Connection, name: str) -> Response[str]:
    """The profile and what belongs to it, in five questions."""
    subscriber = await subscribers.named(conn, visit.scope, name)
    topics = await subscriptions.page_of_subscriber(
        conn, visit.scope, subscriber.id, Asked(limit=_TOPICS), None
    )
    known, _ = await workflows.page(
        conn,
        visit.scope,
        workflows.Filter(statuses=["ACTIVE", "ERROR"]),
        workflows.Window(limit=100, order_by="name", descending=False),
    )
    data = subscriber.data
    return visit.page(
        "subscribers/one.html",
        title=telling.name_of(subscriber),
        subscriber=subscriber,
        data="" if data is None else telling.pretty(msgspec.json.decode(data)),
        credentials=_credentials(subscriber),
        topics=topics,
        suppressed=await suppressed_of(visit, conn, subscriber),
        workflows=known,
        telling=telling,
    )


async def show_again(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    return await _one(visit, conn, given["id"])


@view("/{environment:str}/subscribers/{id:str}")
async def show_subscriber(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    return await _one(visit, conn, id)


@view("/{environment:str}/subscribers/{id:str}/timeline")
async def show_timeline(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    """Everything they got and did not get, and why."""
    subscriber = await subscribers.named(conn, visit.scope, id)
    asked = visit.query.get("page")
    page = float(asked) if asked.isdecimal() else 0.0
    number, offset, size = window(page, float(_TIMELINE), _TIMELINE)
    filter = notifications.Filter(subscriber_ids=[subscriber.id])
    found, more = await notifications.page(conn, visit.scope, filter, offset, size)
    return visit.page(
        "subscribers/timeline.html",
        title=f"Timeline of {telling.name_of(subscriber)}",
        subscriber=subscriber,
        found=[(each, account(each)) for each in found],
        number=number,
        more=more,
        sample=samples.trigger(visit, None, subscriber.key),
        telling=telling,
    )


@change(
    "/{environment:str}/subscribers/{id:str}/profile", does="subscriber.change", again=show_again
)
async def change_subscriber(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    values = _profile_of(visit.form)
    _refuse(values)
    changed = await actions.change(tx, visit.scope, world, subscriber.key, values)
    visit.touch(changed.id, changed.key, fields=_differences(subscriber, changed))
    return visit.go(visit.at("subscribers", changed.id), "The profile is saved.")


@change("/{environment:str}/subscribers/{id:str}/delete", does="subscriber.delete")
async def delete_subscriber(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    await actions.remove(tx, visit.scope, world, subscriber.key)
    visit.touch(subscriber.id, subscriber.key)
    return visit.go(visit.at("subscribers"), f"{telling.name_of(subscriber)} is deleted.")


async def suppressed_of(
    visit: Visit, conn: Connection, subscriber: Subscriber
) -> list[Suppression]:
    """Those of the subscriber's addresses that nothing is sent to."""
    environment_id = visit.scope.environment_id
    asked = [
        (environment_id, channel, canonical(address))
        for channel, name in _CHANNELS_OF
        if (address := getattr(subscriber, name))
    ]
    return list((await suppressions.among(conn, asked)).values())


def _credentials(subscriber: Subscriber) -> list[Credentials]:
    entries = msgspec.json.decode(subscriber.channels, type=list[ChannelEntry])
    return [
        Credentials(
            each.provider_id,
            each.integration_identifier or "",
            [
                (name, telling.masked(value))
                for name, values in each.credentials.items()
                for value in (values if isinstance(values, list) else [values])
            ],
        )
        for each in entries
    ]


def _profile_of(form: Form) -> dict[str, Any]:
    """The fields of the form; what is empty is cleared."""
    values: dict[str, Any] = {name: form.text(name) for name in FIELDS if name != "data"}
    text = form.text("data")
    if text is None:
        return {**values, "data": None}
    try:
        return {**values, "data": msgspec.json.decode(text, type=dict[str, Any])}
    except msgspec.DecodeError as error:
        raise InvalidError.of("data", f"must be a JSON object: {error}", text) from None


def _refuse(values: dict[str, Any]) -> None:
    found = problems(values)
    if found:
        raise InvalidError({name: Problem([text], values[name]) for name, text in found.items()})


def _differences(before: Subscriber, after: Subscriber) -> list[str]:
    """The names of the fields that are not as they were."""
    return [
        name for name in FIELDS if _plain(getattr(before, name)) != _plain(getattr(after, name))
    ]


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, msgspec.Raw) else value


HANDLERS = [
    show_subscribers,
    show_new_subscriber,
    create_subscriber,
    show_subscriber,
    show_timeline,
    change_subscriber,
    delete_subscriber,
]
NAV = [Entry(label="Subscribers", path="subscribers", icon="people", section="People", order=30)]
