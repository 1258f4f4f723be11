"""So many at once, and no more, whoever comes and goes."""

import asyncio
from datetime import UTC, datetime

from tidings.domain.integrations import Integration
from tidings.domain.limits import Limits, Pace
from tidings.engine.gates import Gate, Gates

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def integration(identifier: str = "sms-1", provider_id: str = "twilio") -> Integration:
    return Integration(
        id=identifier,
        organization_id="o",
        environment_id="e",
        name="n",
        identifier=identifier,
        provider_id=provider_id,
        channel="sms",
        active=True,
        created_at=NOW,
        updated_at=NOW,
    )


class Crowd:
    """Many that want to pass the same gate, each staying until it is told to go."""

    def __init__(self, gate: Gate, size: int) -> None:
        self.inside: list[int] = []
        self.leaves = [asyncio.Event() for _ in range(size)]
        self.tasks = [asyncio.create_task(self._pass(gate, n)) for n in range(size)]

    async def _pass(self, gate: Gate, number: int) -> None:
        async with gate:
            self.inside.append(number)
            await self.leaves[number].wait()
            self.inside.remove(number)

    async def look(self) -> list[int]:
        for _ in range(5):
            await asyncio.sleep(0)
        return self.inside

    async def leave(self, number: int) -> None:
        self.leaves[number].set()
        await self.tasks[number]


async def test_they_pass_in_order_as_places_become_free() -> None:
    crowd = Crowd(gate := Gate(2), 6)
    assert await crowd.look() == [0, 1]
    await crowd.leave(1)
    assert await crowd.look() == [0, 2]
    gate.resize(4)
    assert await crowd.look() == [0, 2, 3, 4]
    gate.resize(1)
    for number in (0, 2, 3):
        await crowd.leave(number)
        assert 5 not in await crowd.look()
    await crowd.leave(4)
    assert await crowd.look() == [5]
    await crowd.leave(5)


async def test_those_who_give_up_take_no_place_with_them() -> None:
    crowd = Crowd(Gate(1), 4)
    assert await crowd.look() == [0]
    crowd.tasks[1].cancel()
    crowd.leaves[0].set()
    await asyncio.sleep(0)
    crowd.tasks[2].cancel()
    assert await crowd.look() == [3]
    await crowd.leave(3)
    await asyncio.gather(*crowd.tasks, return_exceptions=True)


async def test_processes_share_what_an_integration_may() -> None:
    gates = Gates(Limits(send_concurrency=50, send_limits={"twilio": Pace(concurrency=4)}))
    crowd = Crowd(gates.of(integration()), 6)
    assert len(await crowd.look()) == 4
    gates.share_with(2)
    for number in range(3):
        await crowd.leave(number)
    assert len(await crowd.look()) == 2
    gates.share_with(100)
    for number in range(3, 5):
        await crowd.leave(number)
    assert await crowd.look() == [5]
    await crowd.leave(5)


def test_an_identifier_beats_a_provider_which_beats_the_general_limit() -> None:
    limits = Limits(
        send_rate=9.0,
        send_limits={"sms-1": Pace(rate=1.0), "twilio": Pace(rate=2.0, concurrency=3)},
    )
    assert limits.pace("sms-1", "twilio") == Pace(1.0, 3)
    assert limits.pace("sms-2", "twilio") == Pace(2.0, 3)
    assert limits.pace("sms-2", "plivo") == Pace(9.0, 50)
