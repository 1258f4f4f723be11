"""One event for one subscriber, from the trigger to every attempt; and a trigger as a whole."""

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import events as event_actions
from tidings.actions import notifications as actions
from tidings.domain.activities import Activity, Delivered
from tidings.domain.errors import NotFoundError
from tidings.domain.explaining import Line, StepAccount, account, unheard
from tidings.domain.notifications import Job
from tidings.domain.slugs import is_id
from tidings.hall.given import Conn, InWorld, Tx
from tidings.hall.pages import span
from tidings.storage import messages, notifications, triggered
from tidings.storage.database import Connection
from tidings.web import telling
from tidings.web.drawing import render
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit

MOST_STEPS = 20
MOST_MESSAGES = 6
_BUDGET = 8_000
_MOST_LINES = 60
_LISTED = 25
_UNSENT = ("canceled", "failed", "skipped")


class ShownLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of proof."""

    line: Line
    raw: str | None
    """What was known at that moment, as far as there is room for it."""
    cut: bool
    path: str


class ShownStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step with everything that happened at it."""

    job: Job
    told: StepAccount
    name: str
    remedy: tuple[str, str] | None
    lines: list[ShownLine]
    """The last ones, when there are very many."""
    left_out: int
    messages: list[Delivered]


def _read(stored: msgspec.Raw | None) -> Any:
    return None if stored is None else msgspec.json.decode(stored)


class _Room:
    """How much text the page may still show."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def fit(self, value: Any) -> tuple[str | None, bool]:
        """The value as JSON, and whether something of it is missing."""
        if value is None:
            return None, False
        text = telling.pretty(value)
        size = min(len(text), telling.SHORT, self._left)
        self._left -= size
        return text[:size], size < len(text)


def _steps(
    visit: Visit, activity: Activity, first: int, produced: list[Delivered]
) -> list[ShownStep]:
    room = _Room()
    told = list(zip(activity.jobs, account(activity).steps, strict=True))
    shown = told[first : first + MOST_STEPS]
    most = max(2, _MOST_LINES // max(1, len(shown)))
    return [_step(visit, activity, job, step, room, most, produced) for job, step in shown]


def _step(
    visit: Visit,
    activity: Activity,
    job: Job,
    told: StepAccount,
    room: _Room,
    most: int,
    produced: list[Delivered],
) -> ShownStep:
    lines = []
    for detail, line in list(zip(job.details, told.lines, strict=True))[-most:]:
        raw, cut = room.fit(line.raw)
        path = visit.at("activity", activity.notification.id, "raw", detail.id)
        lines.append(ShownLine(line=line, raw=raw, cut=cut, path=path))
    step = activity.step(job.step_id)
    return ShownStep(
        job=job,
        told=told,
        name=step.name if step else told.step_key,
        remedy=_remedy(job),
        lines=lines,
        left_out=len(job.details) - len(lines),
        messages=[each for each in produced if each.message.job_id == job.id],
    )


def _remedy(job: Job) -> tuple[str, str] | None:
    """What to do about the last reason for which it did not send."""
    if job.status not in _UNSENT:
        return None
    found = (telling.remedy(detail.reason, job.type) for detail in reversed(job.details))
    return next((each for each in found if each), None)


async def _context(visit: Visit, conn: Connection, activity: Activity) -> dict[str, Any]:
    """What the page shows: a part of the steps, when there are very many."""
    asked = visit.query.get("from")
    first = int(asked) if asked.isdecimal() and len(asked) < 4 else 0
    job_ids = [job.id for job in activity.jobs[first : first + MOST_STEPS]]
    produced = await messages.of_jobs(conn, visit.scope, job_ids, MOST_MESSAGES + 1)
    room = _Room()
    return {
        "activity": activity,
        "told": account(activity),
        "steps": _steps(visit, activity, first, produced[:MOST_MESSAGES]),
        "first": first,
        "most": MOST_STEPS,
        "more_messages": len(produced) > MOST_MESSAGES,
        "payload": room.fit(_read(activity.payload)),
        "overrides": room.fit(_read(activity.overrides) or None),
        "changed_at": activity.updated_at,
        "live": telling.is_open(activity),
        "telling": telling,
    }


@view("/{environment:str}/activity/{id:str}")
async def show_run(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    activity = await notifications.get(conn, visit.scope, id)
    title = activity.workflow.name if activity.workflow else "Removed workflow"
    context = await _context(visit, conn, activity)
    return visit.page("activity/one.html", title=title, **context)


@view("/{environment:str}/activity/{id:str}/state")
async def show_state(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    """The run anew when something of it changed, for pages that wait for that."""
    at, _ = span(visit.query.get("at"), None)
    changed = await notifications.changed(conn, visit.scope, [id], at or visit.now)
    if not changed:
        return Response("", status_code=HTTPStatus.NO_CONTENT)
    html = render("activity/run.html", visit=visit, **await _context(visit, conn, changed[0]))
    return Response(html, media_type="text/html; charset=utf-8")


@view("/{environment:str}/activity/{id:str}/raw/{name:str}")
async def show_raw(
    visit: InVisit, conn: Conn, id: FromPath[str], name: FromPath[str]
) -> Response[str]:
    """The whole of what the page shows the beginning of: the payload, overrides, an answer."""
    activity = await notifications.get(conn, visit.scope, id)
    details = {detail.id: detail for job in activity.jobs for detail in job.details}
    if name in ("payload", "overrides"):
        title, value = name.title(), _read(getattr(activity, name))
    elif name in details:
        title, value = details[name].detail, details[name].raw
    else:
        raise NotFoundError("This part of the run is not there any more. Open the run again.")
    text = telling.pretty(value)
    return visit.page("activity/raw.html", title=title, activity=activity, text=text)


@view("/{environment:str}/activity/{id:str}/messages/{message_id:str}")
async def show_message(
    visit: InVisit, conn: Conn, id: FromPath[str], message_id: FromPath[str]
) -> Response[str]:
    """The e-mail as it was sent, for a frame that can do nothing."""
    message = await messages.get(conn, visit.scope, message_id)
    content = message.content
    return visit.framed(content.get("html", "") if isinstance(content, dict) else "")


@change("/{environment:str}/activity/{id:str}/replay", does="event.replay")
async def replay_run(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    again = await actions.replay(tx, visit.scope, world, id)
    visit.touch(id, None, steps=len(again))
    return visit.go(visit.at("activity", id), *_replayed(len(again)))


def _replayed(count: int) -> tuple[str, Any]:
    if not count:
        return "Nothing failed, so there was nothing to try again.", "bad"
    return f"{count} failed step{'' if count == 1 else 's'} will be tried again now.", "good"


@view("/{environment:str}/activity/transaction")
async def show_transaction(visit: InVisit, conn: Conn) -> Response[str]:
    """A trigger as a whole. One that reached a single subscriber is that subscriber's run."""
    id = visit.query.get("id")
    # First the trigger: whom one that is done has reached can be seen.
    trigger = await triggered.find(conn, visit.scope, id)
    filter = notifications.Filter(transaction_ids=[id])
    found, more = await notifications.page(conn, visit.scope, filter, 0, _LISTED)
    if len(found) == 1:
        return visit.go(visit.at("activity", found[0].notification.id))
    if trigger is None and not found:
        raise NotFoundError(
            f"There is no event of the transaction {id!r} in {visit.environment.name}. Look in "
            "another environment; what was kept long enough is removed."
        )
    named = {topic.key for topic in trigger.event.recipients.topics} if trigger else set()
    topics = await triggered.topics_with_members(conn, visit.scope, named) if named else {}
    return visit.page(
        "activity/transaction.html",
        title="Trigger",
        transaction_id=id,
        trigger=trigger,
        why=unheard(trigger, topics) if trigger and not found else None,
        payload=_Room().fit(trigger.event.payload) if trigger else (None, False),
        found=found,
        more=more,
        telling=telling,
    )


@view("/{environment:str}/activity/transaction/state")
async def show_transaction_state(visit: InVisit, conn: Conn) -> Response[str]:
    """Has a page that waits for the engine loaded again when there is something to see."""
    trigger = await triggered.find(conn, visit.scope, visit.query.get("id"))
    waiting = trigger is not None and trigger.status == "accepted" and not trigger.reached
    if waiting:
        return Response("", status_code=HTTPStatus.NO_CONTENT)
    return Response("", headers={"HX-Refresh": "true"})


@change("/{environment:str}/activity/transaction/cancel", does="event.cancel")
async def cancel_transaction(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    id = visit.form.get("transaction")
    stopped = await event_actions.cancel(tx, visit.scope, world, id)
    visit.touch(id, None)
    if stopped:
        return visit.go(_back(visit, id), "Canceled: what had not happened yet will not.")
    return visit.go(_back(visit, id), "There was nothing left to cancel.", "bad")


@change("/{environment:str}/activity/transaction/replay", does="event.replay")
async def replay_transaction(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    id = visit.form.get("transaction")
    again = await actions.replay_transaction(tx, visit.scope, world, id)
    visit.touch(id, None, steps=len(again))
    return visit.go(_back(visit, id), *_replayed(len(again)))


def _back(visit: Visit, transaction_id: str) -> str:
    run = visit.form.get("run")
    if is_id(run):
        return visit.at("activity", run)
    return visit.at("activity", "transaction", id=transaction_id)


HANDLERS = [
    show_run,
    show_state,
    show_raw,
    show_message,
    replay_run,
    show_transaction,
    show_transaction_state,
    cancel_transaction,
    replay_transaction,
]
