"""What may hold back a message that is ready to go: a suppressed address, or an integration's pace.

Both are asked once for a whole set of messages.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from tidings.domain.messages import canonical
from tidings.engine import targets
from tidings.engine.catching import CATCHER
from tidings.engine.deciding import Need
from tidings.engine.run import Run
from tidings.storage import paces, suppressions
from tidings.storage.database import Connection

_ITS_TURN = "turn"
"""In a job's state: it has waited for its turn, so it takes no other."""


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


async def pace(
    tx: Connection, needs: Sequence[Need], rate: float | None, now: datetime
) -> list[Need]:
    """Those that may go now; the others are delayed until their turn, which is theirs for good."""
    if rate is None:
        return list(needs)
    groups: dict[str, list[Need]] = {}
    ready = []
    for need in needs:
        integration_id = _integration(need)
        if integration_id is None or _has_waited(need, now):
            ready.append(need)
        else:
            groups.setdefault(integration_id, []).append(need)
    wanted = {id: len(members) for id, members in groups.items()}
    free = await paces.take(tx, wanted, rate, now) if wanted else {}
    for integration_id, members in groups.items():
        for number, need in enumerate(members, 1):
            late = number - free.get(integration_id, float(number))
            if late <= 0:
                ready.append(need)
            else:
                _delay(need, now + timedelta(seconds=late / rate), rate, now)
    return ready


def _place(need: Need) -> tuple[str, str, str] | None:
    channel = need.run.jobs[need.position].type
    if channel not in ("email", "sms"):
        return None
    address = targets.address_of(need.run, channel)  # type: ignore[arg-type]
    if not isinstance(address, str) or not address:
        return None
    return need.run.scope.environment_id, channel, canonical(address).replace("\0", "")


def _integration(need: Need) -> str | None:
    """The one that is tried first."""
    found = targets.targets(need.run, need.position)
    if isinstance(found, targets.Missing):
        return None
    first = next((each.id for target in found for each in target.integrations), None)
    return None if first == CATCHER else first


def _has_waited(need: Need, now: datetime) -> bool:
    state = dict(need.run.jobs[need.position].state or {})
    if not state.pop(_ITS_TURN, False):
        return False
    need.run.change(need.position, now, state=state)
    return True


def _delay(need: Need, until: datetime, rate: float, now: datetime) -> None:
    job = need.run.jobs[need.position]
    state = {**(job.state or {}), _ITS_TURN: True}
    need.run.change(need.position, now, "delayed", due_at=until, state=state)
    need.run.prove(
        need.position,
        now,
        "Pending",
        "The message waits for its turn, since the integration has a limited rate",
        reason="rate",
        raw={"until": until, "perSecond": rate},
    )
