"""What may hold back a message that is ready to go: a suppressed address, or an integration's pace.

Both are asked once for a whole set of messages.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from tidings.domain.limits import Limits
from tidings.domain.messages import canonical
from tidings.engine import targets
from tidings.engine.catching import catches
from tidings.engine.deciding import Need
from tidings.engine.run import Run
from tidings.storage import paces, suppressions
from tidings.storage.database import Connection

_TURNS = "turns"
"""In a job's state: the turns it has waited for, by integration, so that it takes no others."""


async def suppress(
    tx: Connection, needs: Sequence[Need], now: datetime
) -> tuple[list[Need], list[Run]]:
    """Cancel what would go to an address that bounced or complained. The rest, and the runs that
    go on without."""
    places = {id(need): place for need in needs if (place := _place(need))}
    listed = await suppressions.among(tx, places.values())
    left, stopped = [], []
    for need in needs:
        found = listed.get(places.get(id(need), ("", "", "")))
        if found is None:
            left.append(need)
            continue
        need.run.leaving.discard(need.position)
        need.run.change(need.position, now, "canceled", due_at=None)
        need.run.prove(
            need.position,
            now,
            "Warning",
            "The address is on the suppression list",
            reason="suppressed",
            raw={"address": found.address, "because": found.reason, "since": found.since},
        )
        stopped.append(need.run)
    return left, stopped


async def pace(tx: Connection, needs: Sequence[Need], limits: Limits, now: datetime) -> list[Need]:
    """Those that may go now; the others are delayed until their turn, which is theirs for good.
    Every target counts, through the integration that is tried first."""
    if not limits.has_rates:
        return list(needs)
    asked: list[tuple[Need, Counter[str]]] = []
    rates: dict[str, float] = {}
    ready = []
    for need in needs:
        wanted = Counter[str]() if _has_waited(need, now) else _wanted(need, limits, rates)
        if wanted:
            asked.append((need, wanted))
        else:
            ready.append(need)
    total: Counter[str] = sum((wanted for _, wanted in asked), Counter())
    free = await paces.take(tx, total, rates, now) if total else {}
    taken: Counter[str] = Counter()
    for need, wanted in asked:
        taken += wanted
        late = max((taken[id] - free.get(id, taken[id])) / rates[id] for id in wanted)
        if late <= 0:
            need.run.turns = dict(wanted)
            ready.append(need)
        else:
            wait_for_turn(need.run, need.position, now + timedelta(seconds=late), wanted, now)
    return ready


def _place(need: Need) -> tuple[str, str, str] | None:
    channel = need.run.jobs[need.position].type
    if channel not in ("email", "sms"):
        return None
    address = targets.address_of(need.run, channel)  # type: ignore[arg-type]
    if not isinstance(address, str) or not address:
        return None
    return need.run.scope.environment_id, channel, canonical(address).replace("\0", "")


def _wanted(need: Need, limits: Limits, rates: dict[str, float]) -> Counter[str]:
    """How many messages go through which integrations that have a rate."""
    found = targets.left(need.run, need.position)
    wanted: Counter[str] = Counter()
    for target in () if isinstance(found, targets.Missing) else found:
        first = target.integrations[0]
        rate = limits.pace(first.identifier, first.provider_id).rate
        if rate is not None and not catches(first):
            wanted[first.id] += 1
            rates[first.id] = rate
    return wanted


def _has_waited(need: Need, now: datetime) -> bool:
    state = dict(need.run.jobs[need.position].state or {})
    turns = state.pop(_TURNS, None)
    if turns is None:
        return False
    need.run.turns = turns
    need.run.change(need.position, now, state=state)
    return True


def wait_for_turn(
    run: Run, position: int, until: datetime, turns: Mapping[str, int], now: datetime
) -> None:
    """Delay a job whose messages have their turns later."""
    run.leaving.discard(position)
    state = {**(run.jobs[position].state or {}), _TURNS: dict(turns)}
    run.change(position, now, "delayed", due_at=until, state=state)
    run.prove(
        position,
        now,
        "Pending",
        "The message waits for its turn, since the integration has a limited rate",
        reason="rate",
        raw={"until": until},
    )
