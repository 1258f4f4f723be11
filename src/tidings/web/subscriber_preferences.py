"""What a subscriber wants to get, on which channels and at which hours."""

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import UNSET, UnsetType

from tidings.actions import preferences as actions
from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.preferences import Channels, Merged, Workflow, merge
from tidings.domain.schedules import (
    WEEKDAYS,
    DaySchedule,
    Schedule,
    TimeRange,
    WeeklySchedule,
    is_open,
    minutes,
    next_open,
    normal,
    zone_of,
)
from tidings.domain.subscribers import Subscriber
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import preferences, subscribers
from tidings.storage.database import Connection
from tidings.web import telling
from tidings.web.form import Form
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit

SHOWN = 30
EVERYWHERE = "everywhere"
_OFFICE = DaySchedule(True, [TimeRange("09:00 AM", "05:00 PM")])
_OFFERED = WeeklySchedule(_OFFICE, _OFFICE, _OFFICE, _OFFICE, _OFFICE)
"""What the form holds while there is no schedule, so that saving it does not shut every hour."""


class Day(msgspec.Struct, frozen=True):
    """A weekday as the form shows it: times on a 24-hour clock, one more range than it has."""

    name: str
    on: bool
    ranges: list[tuple[str, str]]


async def _page(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    subscriber = await subscribers.named(conn, visit.scope, given["id"])
    chosen = await preferences.chosen(conn, visit.scope, subscriber.id)
    known = await preferences.workflows(conn, visit.scope)
    asked = visit.query.get("page")
    number = int(asked) if asked.isdecimal() and len(asked) < 6 else 0
    shown = known[number * SHOWN : (number + 1) * SHOWN]
    return visit.page(
        "subscribers/preferences.html",
        title=f"Preferences of {telling.name_of(subscriber)}",
        subscriber=subscriber,
        everywhere={channel: chosen.channels.get(channel, True) for channel in CHANNELS},
        chosen=chosen,
        rows=[(each, _merged(each, chosen.channels, chosen.workflows)) for each in shown],
        number=number,
        more=len(known) > (number + 1) * SHOWN,
        days=_days(visit, chosen.schedule),
        schedule=chosen.schedule,
        hours=_hours(visit, subscriber, chosen.schedule),
        channels=CHANNELS,
        telling=telling,
    )


def _merged(workflow: Workflow, everywhere: Channels, own: dict[str, Channels]) -> Merged:
    return merge(workflow.preferences, everywhere, own.get(workflow.id, {}))


@view("/{environment:str}/subscribers/{id:str}/preferences")
async def show_preferences(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    return await _page(visit, conn, {"id": id})


@change(
    "/{environment:str}/subscribers/{id:str}/preferences",
    does="subscriber.set_preference",
    again=_page,
)
async def set_preference(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    """One channel on or off, everywhere or for one workflow: the button's value says which."""
    subscriber = await subscribers.named(tx, visit.scope, id)
    place, channel, enabled = _choice(visit.form.get("set"))
    if place == EVERYWHERE:
        await actions.choose_everywhere(tx, visit.scope, world, subscriber.key, {channel: enabled})
    else:
        choice = ("set", place, Channels({channel: enabled}))
        await actions.choose_for_workflows(tx, visit.scope, world, subscriber.key, [choice])
    visit.touch(subscriber.id, subscriber.key, place=place, channel=channel, enabled=enabled)
    back = visit.at("subscribers", subscriber.id, "preferences", page=visit.form.text("page"))
    return visit.go(back)


def _choice(text: str) -> tuple[str, Channel, bool]:
    place, _, rest = text.partition(" ")
    channel, _, state = rest.partition(" ")
    known = next((each for each in CHANNELS if each == channel), None)
    if known is None or state not in ("on", "off"):
        raise InvalidError.of("set", "must name a place, a channel, and on or off", text)
    return place, known, state == "on"


@change(
    "/{environment:str}/subscribers/{id:str}/schedule",
    does="subscriber.set_schedule",
    again=_page,
)
async def set_schedule(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    schedule, found = normal(_schedule(visit.form))
    if found:
        raise InvalidError({_day_of(path): Problem([text]) for path, text in found.items()})
    await actions.choose_everywhere(tx, visit.scope, world, subscriber.key, {}, schedule)
    visit.touch(subscriber.id, subscriber.key, enabled=schedule.is_enabled)
    back = visit.at("subscribers", subscriber.id, "preferences")
    return visit.go(back, "The schedule is saved.")


@change("/{environment:str}/subscribers/{id:str}/schedule/remove", does="subscriber.set_schedule")
async def remove_schedule(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    subscriber = await subscribers.named(tx, visit.scope, id)
    await actions.choose_everywhere(tx, visit.scope, world, subscriber.key, {}, None)
    visit.touch(subscriber.id, subscriber.key, enabled=False)
    back = visit.at("subscribers", subscriber.id, "preferences")
    return visit.go(back, "The schedule is gone: messages come at any hour.")


def _schedule(form: Form) -> Schedule:
    days = {}
    for weekday in WEEKDAYS:
        pairs = zip(form.all(f"{weekday}.start"), form.all(f"{weekday}.end"), strict=False)
        hours = [TimeRange(start.strip(), end.strip()) for start, end in pairs if start or end]
        days[weekday] = DaySchedule(form.flag(f"{weekday}.on"), hours)
    return Schedule(form.flag("enabled"), WeeklySchedule(**days))


def _day_of(path: str) -> str:
    """`weeklySchedule.monday.hours.0.end` is told at Monday."""
    return path.split(".")[1]


def _days(visit: Visit, schedule: Schedule | None) -> list[Day]:
    """What was just sent, or else what is stored."""
    if any(name.endswith(".start") for name in visit.form.names()):
        schedule = _schedule(visit.form)
    week = (schedule.weekly_schedule if schedule is not None else UNSET) or _OFFERED
    return [_day(week, weekday) for weekday in WEEKDAYS]


def _day(week: WeeklySchedule, weekday: str) -> Day:
    day: DaySchedule | UnsetType = getattr(week, weekday)
    if day is UNSET:
        return Day(weekday, False, [("", "")])
    hours = [(_clock(each.start), _clock(each.end)) for each in day.hours or ()]
    return Day(
        weekday, day.is_enabled, [*hours, ("", "")] if day.is_enabled or not hours else hours
    )


def _clock(text: str) -> str:
    """A time as time fields take it."""
    minute = minutes(text)
    return "" if minute is None else f"{minute // 60:02}:{minute % 60:02}"


def _hours(visit: Visit, subscriber: Subscriber, schedule: Schedule | None) -> str:
    """Whether they want to be reached just now."""
    if schedule is None or not schedule.is_enabled:
        return "Without a schedule in force, messages come at any hour."
    zone = zone_of(subscriber.timezone)
    if is_open(schedule, visit.now, zone):
        return "Just now they want to be reached."
    opens = next_open(schedule, visit.now, zone)
    if opens is None:
        return "No hour of the week is open: e-mail, SMS, push and chat are never sent."
    return f"Just now they do not want to be reached; next from {opens.astimezone(zone):%A %H:%M}."


HANDLERS = [show_preferences, set_preference, set_schedule, remove_schedule]
