"""Activity: what was triggered, for whom and what came of it, as it happens."""

from collections.abc import Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import Response

from tidings.domain.activities import Activity
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.explaining import unheard
from tidings.domain.paging import least_id
from tidings.domain.slugs import is_id
from tidings.hall.given import Conn
from tidings.hall.pages import span, window
from tidings.storage import events, notifications, triggered, workflows
from tidings.storage.database import Connection
from tidings.storage.notifications import Filter
from tidings.web import samples, telling
from tidings.web.drawing import render
from tidings.web.handlers import Entry, view
from tidings.web.parts import InParts
from tidings.web.visit import InVisit, Visit

SHOWN = 25
LARGEST = 50
LOOKED_BACK_DAYS = 7
_OVERLAP = timedelta(seconds=5)
_SINGLE = ("search", "transactionId", "topicKey", "after", "before")
_SEVERAL = ("channels", "templates", "emails", "subscriberIds", "severity")
_FAR = ("channels", "templates", "emails", "subscriberIds", "severity", "topicKey", "after")


class Asked(msgspec.Struct, frozen=True):
    """The filters as the visitor wrote them."""

    single: dict[str, str]
    several: dict[str, list[str]]

    @classmethod
    def of(cls, visit: Visit) -> "Asked":
        single = {name: visit.query.get(name).strip() for name in _SINGLE}
        several = {name: _split(visit.query.all(name)) for name in _SEVERAL}
        return cls(
            {name: value for name, value in single.items() if value},
            {name: values for name, values in several.items() if values},
        )

    def __bool__(self) -> bool:
        return bool(self.single or self.several)

    @property
    def far(self) -> int:
        """How many of the filters are in use that do not stand in the first line."""
        return sum(name in self.single or name in self.several for name in (*_FAR, "before"))

    def text(self, name: str) -> str:
        return self.single.get(name, "") or ", ".join(self.several.get(name, ()))

    def has(self, name: str, value: str) -> bool:
        return value in self.several.get(name, ())

    def query(self, **more: object) -> str:
        """All of it as a query string."""
        pairs: list[tuple[str, object]] = list(self.single.items())
        pairs += [(name, each) for name, values in self.several.items() for each in values]
        pairs += [(name, value) for name, value in more.items() if value not in ("", None)]
        return "?" + urlencode(pairs) if pairs else ""


async def filter_of(visit: Visit, conn: Connection, asked: Asked) -> Filter:
    """What is searched for is somebody, or else a transaction."""
    several, single = asked.several, asked.single
    keys, addresses = several.get("subscriberIds"), several.get("emails")
    search = single.get("search")
    transactions = [single["transactionId"]] if "transactionId" in single else None
    if search and not transactions and await events.exists(conn, visit.scope, search):
        transactions, search = [search], None
    people = None
    if keys or addresses or search:
        people = await notifications.subscribers_matching(
            conn, visit.scope, keys or (), addresses or (), search
        )
    first, last = span(single.get("after"), single.get("before"))
    return Filter(
        channels=several.get("channels"),
        workflow_ids=several.get("templates"),
        subscriber_ids=people,
        severities=several.get("severity"),
        transaction_ids=transactions,
        topic_key=single.get("topicKey"),
        after=first,
        before=last,
    )


@view("/{environment:str}/activity")
async def show_activity(visit: InVisit, conn: Conn) -> Response[str]:
    asked = Asked.of(visit)
    found: list[Activity] = []
    number, more, size = 0, False, SHOWN
    try:
        page, limit = _number(visit, "page", 0), _number(visit, "limit", SHOWN)
        number, offset, size = window(page, limit, LARGEST)
        filter = await filter_of(visit, conn, asked)
        found, more = await notifications.page(conn, visit.scope, filter, offset, size)
    except InvalidError as error:
        visit.problems = error.problems
    known, _ = await workflows.page(
        conn,
        visit.scope,
        workflows.Filter(),
        workflows.Window(limit=100, offset=0, order_by="name", descending=False),
    )
    live = number == 0 and "before" not in asked.single and visit.query.get("live") != "off"
    limited = size if size != SHOWN else ""
    return visit.page(
        "activity/list.html",
        title="Activity",
        asked=asked,
        found=found,
        workflows=known,
        live=live and not visit.problems,
        poll=_poll(visit, asked, found, 0),
        newer=visit.at("activity") + asked.query(page=number - 1 or "", limit=limited),
        older=visit.at("activity") + asked.query(page=number + 1, limit=limited) if more else None,
        number=number,
        sample=samples.trigger(visit, known[0].key if known else None, "ada"),
        telling=telling,
    )


@view("/{environment:str}/activity/news")
async def show_news(visit: InVisit, conn: Conn) -> Response[str]:
    """What is new since the page was drawn, and rows of it that changed: nothing else is read."""
    asked = Asked.of(visit)
    shown, open_ids = _ids(visit, "shown"), _ids(visit, "open")
    since = visit.query.get("since")
    filter = await filter_of(visit, conn, asked)
    filter = msgspec.structs.replace(filter, newer_than=since if is_id(since) else "")
    recent, more = await notifications.page(conn, visit.scope, filter, 0, LARGEST)
    new = [each for each in recent if each.notification.id not in shown]
    changed: list[Activity] = []
    if open_ids:
        at, _ = span(visit.query.get("at"), None)
        changed = await notifications.changed(conn, visit.scope, open_ids, at or visit.now)
    if not new and not changed:
        return Response("", status_code=HTTPStatus.NO_CONTENT)
    if more or (new and visit.query.get("empty")):
        return Response("", headers={"HX-Refresh": "true"})
    settled = {each.notification.id for each in changed if not telling.is_open(each)}
    watched = [id for id in open_ids if id not in settled]
    count = int(_number(visit, "count", 0)) + len(new)
    html = render(
        "activity/news.html",
        visit=visit,
        new=new,
        changed=changed,
        count=count,
        poll=_poll(visit, asked, recent, count, watched),
        telling=telling,
    )
    return Response(html, media_type="text/html; charset=utf-8")


def _poll(
    visit: Visit,
    asked: Asked,
    found: Sequence[Activity],
    count: int,
    watched: Sequence[str] = (),
) -> str:
    """Where to ask for news next. Runs do not become visible in the order of their ids, so the
    question goes a little further back than the newest row, and names those that are shown."""
    since = least_id(visit.now - _OVERLAP)
    if len(found) >= SHOWN:
        since = max(since, found[-1].notification.id)
    ids = [each.notification.id for each in found]
    opened = [each.notification.id for each in found if telling.is_open(each)]
    query = asked.query(
        since=since,
        shown=",".join(id for id in ids if id > since),
        at=(visit.now - _OVERLAP).isoformat(),
        open=",".join(dict.fromkeys([*opened, *watched])),
        count=count or "",
        empty="" if found or count else "yes",
    )
    return visit.at("activity", "news") + query


def _ids(visit: Visit, name: str) -> list[str]:
    return [id for id in visit.query.get(name).split(",") if is_id(id)][: 2 * LARGEST]


@view("/{environment:str}/activity/unheard")
async def show_unheard(visit: InVisit, conn: Conn, parts: InParts) -> Response[str]:
    """Triggers that reached nobody, as far back as is certain: notifications are removed first."""
    days = min(LOOKED_BACK_DAYS, parts.settings.retention_days)
    after = visit.now - timedelta(days=days)
    found = await triggered.unheard(conn, visit.scope, after, LARGEST)
    named = {topic.key for each in found for topic in each.event.recipients.topics}
    topics = await triggered.topics_with_members(conn, visit.scope, named) if named else {}
    return visit.page(
        "activity/unheard.html",
        title="Reached nobody",
        found=[(each, unheard(each, topics)) for each in found],
        most=LARGEST,
        days=days,
    )


def _split(values: Sequence[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _number(visit: Visit, name: str, default: int) -> float:
    text = visit.query.get(name).strip()
    try:
        return float(text or default)
    except ValueError:
        raise InvalidError({name: Problem(["must be a number"], text)}) from None


HANDLERS: list[Any] = [show_activity, show_news, show_unheard]
NAV = [Entry(label="Activity", path="activity", icon="activity", section="Watch", order=50)]
