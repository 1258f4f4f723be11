"""Any sequence of actions: the list, the counts and a model in memory always agree."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import make_world
from tidings.actions import inbox as actions
from tidings.clock import ManualClock
from tidings.domain.errors import TidingsError
from tidings.domain.inbox import MARKS, SEVERITIES, Filter, Mark, Severity
from tidings.domain.scope import Scope
from tidings.storage import inbox, inbox_counts
from tidings.storage.database import Connection, Database
from tidings.world import World

START = datetime(2026, 1, 1, tzinfo=UTC)
ADA, BOB = "a" * 24, "b" * 24
TAGS = ("red", "blue")


class Held(msgspec.Struct):
    """What the model knows of a message."""

    tags: tuple[str, ...]
    severity: Severity
    seen: bool = False
    read: bool = False
    archived: bool = False
    snoozed_until: datetime | None = None

    def mark(self, mark: Mark) -> None:
        for name, value in msgspec.structs.asdict(MARKS[mark]).items():
            if value is not None:
                setattr(self, name, value)

    def passes(self, filter: Filter) -> bool:
        return (
            (self.snoozed_until is not None) == filter.snoozed
            and all(
                wanted in (None, getattr(self, name))
                for name in ("seen", "read", "archived")
                for wanted in [getattr(filter, name)]
            )
            and (not filter.severities or self.severity in filter.severities)
            and all(set(group) & set(self.tags) for group in filter.tags)
        )


MESSAGES = st.lists(
    st.builds(
        Held,
        tags=st.lists(st.sampled_from(TAGS), unique=True).map(tuple),
        severity=st.sampled_from(SEVERITIES),
    ),
    min_size=1,
    max_size=6,
)
NUMBER = st.integers(0, 5)
ONE_MARK = st.tuples(st.just("mark"), NUMBER, st.sampled_from(list(MARKS)))
MANY_MARKS = st.tuples(
    st.just("mark_many"), st.sampled_from(list(MARKS)), st.sampled_from([(), *TAGS])
)
SNOOZE = st.tuples(st.just("snooze"), NUMBER, st.integers(1, 5))
STEPS = st.lists(
    st.one_of(
        ONE_MARK,
        MANY_MARKS,
        SNOOZE,
        st.tuples(st.just("unsnooze"), NUMBER),
        st.tuples(st.just("remove"), NUMBER),
        st.tuples(st.just("remove_many"), st.sampled_from(TAGS)),
        st.tuples(st.just("wait"), st.integers(1, 5)),
    ),
    max_size=12,
)
HIGH_OR_NONE: tuple[Severity, ...] = ("high", "none")
FILTERS = [
    Filter(seen=seen, read=read, archived=archived, snoozed=snoozed, tags=tags, severities=some)
    for seen, read, archived, snoozed in product((None, True, False), repeat=4)
    if snoozed is not None
    for tags, some in (((), ()), ((("red",),), ()), ((("red",), ("blue",)), HIGH_OR_NONE))
]


class Play:
    """Does every step twice: in the database and in the model."""

    def __init__(self, tx: Connection, scope: Scope, world: World, clock: ManualClock) -> None:
        self.tx, self.scope, self.world, self.clock = tx, scope, world, clock
        self.model: dict[str, Held] = {}

    async def fill(self, messages: list[Held]) -> None:
        await self.tx.execute("DELETE FROM messages")
        for number, held in enumerate(messages):
            self.model[f"{number:024x}"] = held
            for id, owner in ((f"{number:024x}", ADA), (f"f{number:023x}", BOB)):
                await self.tx.execute(
                    "INSERT INTO messages (id, organization_id, environment_id, notification_id, "
                    "job_id, event_id, transaction_id, workflow_id, step_id, subscriber_id, "
                    "channel, status, content, tags, severity, created_at, updated_at) VALUES "
                    "($1, $2, $3, '', $1, '', '', '', '', $4, 'in_app', 'sent', '\"\"', $5, $6, "
                    "$7, $7)",
                    id,
                    self.scope.organization_id,
                    self.scope.environment_id,
                    owner,
                    held.tags,
                    held.severity,
                    START,
                )

    async def step(self, name: str, *values: Any) -> None:
        with suppress(TidingsError):  # refused: then the model has not changed either
            await getattr(self, f"do_{name}")(*values)

    async def do_mark(self, number: int, mark: Mark) -> None:
        id = f"{number:024x}"
        await actions.mark(self.tx, self.scope, self.world, ADA, id, mark)
        self.model[id].mark(mark)

    async def do_mark_many(self, mark: Mark, tag: str) -> None:
        filter = Filter(tags=((tag,),) if tag else ())
        await actions.mark_many(self.tx, self.scope, self.world, ADA, filter, mark)
        for held in self.model.values():
            if held.passes(filter):
                held.mark(mark)

    async def do_snooze(self, number: int, hours: int) -> None:
        id, until = f"{number:024x}", self.clock.now() + timedelta(hours=hours)
        await actions.snooze(self.tx, self.scope, self.world, ADA, id, until)
        self.model[id].snoozed_until = until

    async def do_unsnooze(self, number: int) -> None:
        id = f"{number:024x}"
        await actions.unsnooze(self.tx, self.scope, self.world, ADA, id)
        self.model[id].snoozed_until = None

    async def do_remove(self, number: int) -> None:
        id = f"{number:024x}"
        await actions.remove(self.tx, self.scope, self.world, ADA, id)
        del self.model[id]

    async def do_remove_many(self, tag: str) -> None:
        filter = Filter(tags=((tag,),))
        await actions.remove_many(self.tx, self.scope, self.world, ADA, filter)
        self.model = {id: held for id, held in self.model.items() if not held.passes(filter)}

    async def do_wait(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))
        await inbox.end_snoozes(self.tx, self.clock.now(), 100)
        for held in self.model.values():
            if held.snoozed_until is not None and held.snoozed_until <= self.clock.now():
                held.snoozed_until = None
                held.mark("unseen")

    async def compare(self) -> None:
        counts = await inbox.counts(self.tx, self.scope, ADA, FILTERS)
        for filter, count in zip(FILTERS, counts, strict=True):
            page = await inbox.page(self.tx, self.scope, ADA, filter, 100)
            expected = {id for id, held in self.model.items() if held.passes(filter)}
            assert {each.id for each in page.items} == expected
            assert count == len(expected)
        bell = (await inbox_counts.of(self.tx, [ADA]))[ADA]
        unread = bell.unread
        waiting = [held for held in self.model.values() if held.passes(Filter(read=False))]
        assert unread.total == len(waiting)
        assert sum(unread.by_severity.values()) == unread.total
        unseen = [held for held in self.model.values() if held.passes(Filter(seen=False))]
        assert bell.unseen == len(unseen)
        others = await inbox.page(self.tx, self.scope, BOB, Filter(), 100)
        assert not any(each.seen for each in others.items)


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(messages=MESSAGES, steps=STEPS)
async def test_counts_equal_the_list_after_any_sequence_of_actions(
    database: Database, scope: Scope, messages: list[Held], steps: list[tuple[Any, ...]]
) -> None:
    clock = ManualClock(START)
    async with database.transaction() as tx:
        play = Play(tx, scope, make_world(clock), clock)
        await play.fill(messages)
        for step in steps:
            await play.step(*step)
        await play.compare()
