"""From the trigger to the inbox's socket on an idle system, against what PostgreSQL itself needs
to pass a notification on."""

import asyncio
import statistics
import time
from typing import Any

import aiohttp
import asyncpg

from bench import report
from bench.inboxes import address, connected
from bench.service import Service, serving

_TIMES = 200
_GAP_SECONDS = 0.03
_TARGET = 25.0


def run() -> None:
    with serving() as service:
        furnish(service)
        floors, times = asyncio.run(measure(service))
    least, middle = statistics.median(floors), statistics.median(times)
    print(f"empty LISTEN/NOTIFY        {least * 1e3:8.2f} ms p50")
    print(f"trigger to socket          {middle * 1e3:8.2f} ms p50, "
          f"{statistics.quantiles(times, n=100)[98] * 1e3:.2f} ms p99")  # fmt: skip
    report.at_most("ratio", middle / least, _TARGET, "x")


def furnish(service: Service) -> None:
    step = {"name": "Inbox", "type": "in_app", "controlValues": {"body": "{{payload.n}}"}}
    service.post("/v2/workflows", {
        "name": "One", "workflowId": "one", "active": True, "steps": [step],
    })  # fmt: skip


async def measure(service: Service, count: int = _TIMES) -> tuple[list[float], list[float]]:
    """Of PostgreSQL alone, and from the trigger to the socket, one after the other."""
    floors: list[float] = []
    times: list[float] = []
    floor = await _Floor.open(service.database_url())
    async with (
        connected(service, ["ada"]) as [inbox],
        aiohttp.ClientSession(address(service), headers=service.headers) as client,
    ):
        for number in range(count):
            floors.append(await floor.round_trip())
            started = time.perf_counter()
            body = {"name": "one", "to": "ada", "payload": {"n": number}}
            async with client.post("/v1/events/trigger", json=body) as answer:
                await answer.read()
            times.append(await inbox.told.get() - started)
            await asyncio.sleep(_GAP_SECONDS)
    await floor.close()
    return floors, times


class _Floor:
    """One connection notifies, another hears."""

    def __init__(self, speaker: Any, hearer: Any) -> None:
        self._speaker = speaker
        self._hearer = hearer
        self._heard = asyncio.Event()

    @classmethod
    async def open(cls, url: str) -> "_Floor":
        floor = cls(await asyncpg.connect(url), await asyncpg.connect(url))
        await floor._hearer.add_listener("bench", lambda *_: floor._heard.set())
        return floor

    async def round_trip(self) -> float:
        self._heard.clear()
        started = time.perf_counter()
        await self._speaker.execute("NOTIFY bench")
        await self._heard.wait()
        return time.perf_counter() - started

    async def close(self) -> None:
        await self._speaker.close()
        await self._hearer.close()
