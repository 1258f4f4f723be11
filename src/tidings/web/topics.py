"""Topics: named groups of subscribers that one trigger reaches."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import subscriptions as subscription_actions
from tidings.actions import topics as actions
from tidings.domain.errors import ConflictError, InvalidError, RefusedError
from tidings.domain.paging import Asked
from tidings.domain.topics import MOST_AT_ONCE, Changed, Wanted, key_problem, name_problem
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import subscribers, subscriptions, topics
from tidings.storage.database import Connection
from tidings.web import samples, telling
from tidings.web.handlers import Entry, change, view
from tidings.web.visit import InVisit, Tone, Visit

SHOWN = 25


@view("/{environment:str}/topics")
async def show_topics(visit: InVisit, conn: Conn) -> Response[str]:
    return await _list(visit, conn, {})


async def _list(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    search = visit.query.get("search").strip().replace("\0", "")
    asked = _asked(visit)
    found = await topics.page(conn, visit.scope, asked, {"key": search} if search else {})
    if search and not found.items:
        found = await topics.page(conn, visit.scope, asked, {"name": search})

    def path(after: str | None, before: str | None) -> str:
        return visit.at("topics", search=search, after=after, before=before)

    return visit.page(
        "topics/list.html",
        title="Topics",
        found=found,
        search=search,
        path=path,
        sample=samples.subscribe(visit, "product-news"),
    )


@change("/{environment:str}/topics", does="topic.create", again=_list)
async def create_topic(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    key, name = visit.form.get("key").strip(), visit.form.text("name")
    if problem := key_problem(key):
        raise InvalidError.of("key", problem, key)
    _check_name(name)
    made, is_new = await actions.create(tx, visit.scope, world, key, name)
    if not is_new:
        raise ConflictError(f"There is a topic {key!r} already. Open it, or choose another key.")
    visit.touch(made.key, made.name or made.key)
    return visit.go(visit.at("topics", made.key), "The topic is there. Now add subscribers.")


async def _one(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    topic = await topics.get(conn, visit.scope, given["key"])
    search = visit.query.get("subscriber").strip().replace("\0", "")
    person = await subscribers.find(conn, visit.scope, search) if search else None
    wanted = None if not search else person.id if person else ""
    found = await subscriptions.page_of_topic(conn, visit.scope, topic.id, _asked(visit), wanted)

    def path(after: str | None, before: str | None) -> str:
        return visit.at("topics", topic.key, subscriber=search, after=after, before=before)

    return visit.page(
        "topics/one.html",
        title=topic.name or topic.key,
        topic=topic,
        found=found,
        search=search,
        path=path,
        most=MOST_AT_ONCE,
        sample=samples.trigger(visit, None, {"type": "Topic", "topicKey": topic.key}),
        telling=telling,
    )


@view("/{environment:str}/topics/{key:str}")
async def show_topic(visit: InVisit, conn: Conn, key: FromPath[str]) -> Response[str]:
    return await _one(visit, conn, {"key": key})


@change("/{environment:str}/topics/{key:str}/rename", does="topic.rename", again=_one)
async def rename_topic(visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]) -> Response[str]:
    name = visit.form.text("name")
    if name is None:
        raise InvalidError.of("name", "must not be empty")
    _check_name(name)
    topic = await actions.rename(tx, visit.scope, world, key, name)
    visit.touch(topic.key, topic.name)
    return visit.go(visit.at("topics", key), f"It is called {name} now.")


@change("/{environment:str}/topics/{key:str}/delete", does="topic.delete")
async def delete_topic(visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]) -> Response[str]:
    topic = await topics.get(tx, visit.scope, key)
    await actions.remove(tx, visit.scope, world, key)
    visit.touch(topic.key, topic.name or topic.key)
    return visit.go(visit.at("topics"), f"The topic {topic.name or topic.key} is deleted.")


@change("/{environment:str}/topics/{key:str}/subscribers", does="topic.subscribe", again=_one)
async def add_subscribers(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    """One id in a line."""
    await topics.get(tx, visit.scope, key)
    keys = [line.strip() for line in visit.form.get("subscribers").split("\n") if line.strip()]
    if not keys or len(keys) > MOST_AT_ONCE:
        text = f"must name 1 to {MOST_AT_ONCE} subscribers, one in a line"
        raise InvalidError.of("subscribers", text)
    wanted = [Wanted(each) for each in keys]
    changed = await subscription_actions.add(tx, visit.scope, world, key, wanted)
    if not changed.done:
        raise RefusedError(_missed(changed))
    visit.touch(key, key, subscribers=[each.subscriber.key for each in changed.done])
    return visit.go(visit.at("topics", key), *_added(changed))


@change("/{environment:str}/topics/{key:str}/subscribers/remove", does="topic.unsubscribe")
async def remove_subscriber(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    subscriber_key = visit.form.get("subscriber")
    wanted = [Wanted(subscriber_key)]
    await subscription_actions.remove(tx, visit.scope, world, key, wanted)
    visit.touch(key, key, subscribers=[subscriber_key])
    return visit.go(visit.at("topics", key), f"{subscriber_key} does not belong to it any more.")


def _added(changed: Changed) -> tuple[str, Tone]:
    count = len(changed.done)
    text = f"{count} subscriber{' belongs' if count == 1 else 's belong'} to it now."
    return (f"{text} {_missed(changed)}", "bad") if changed.failures else (text, "good")


def _missed(changed: Changed) -> str:
    return "Not added: " + " ".join(each.message for each in changed.failures[:5])


def _check_name(name: str | None) -> None:
    if name is not None and (problem := name_problem(name)):
        raise InvalidError.of("name", problem, name)


def _asked(visit: Visit) -> Asked:
    after, before = visit.query.text("after"), visit.query.text("before")
    return Asked(after=after, before=None if after else before, limit=SHOWN)


HANDLERS = [
    show_topics,
    create_topic,
    show_topic,
    rename_topic,
    delete_topic,
    add_subscribers,
    remove_subscriber,
]
NAV = [Entry(label="Topics", path="topics", icon="topic", section="People", order=35)]
