"""How cost grows: the same figures beside 10,000 and beside 1,000,000 rows, with a million delayed
jobs waiting."""

import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from bench import accepting, arrival, calls, events, fan_out, machine, reading, report, scene
from bench.service import Service, server, serving_in

_FEW, _MANY = 10_000, 1_000_000
_PAGE_TARGET = 1.3
_EVENT_TARGET = 1.2
_IDLE_TARGET = 2.0
_IDLE_SECONDS = 10.0
_ROUNDS = 2
_MEMBERS = 1000
_ARRIVALS = 80


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, server("sink") as (sink, _):
        data = Path(folder) / "data"
        with serving_in(data) as service:
            _furnish(service, sink)
            few = _broadcast(service) | _figures(service, "few")
        few |= _accepted(data)
        with serving_in(data) as service:
            started = time.monotonic()
            calls.run(_halves(scene.waiting, service.database_url(), 1))
            writing = time.monotonic() - started
            many = _broadcast(service)
            started = time.monotonic()
            calls.run(_halves(scene.people, service.database_url(), _FEW + 1))
            writing += time.monotonic() - started
            print(f"(a million rows of each kind written in {writing:.0f} s)")
            many |= _figures(service, "many")
            idle = _idle(service)
        many |= _accepted(data)
    for name, before in few.items():
        target = _PAGE_TARGET if name.startswith("GET") else _EVENT_TARGET
        report.at_most(f"{name}: 1,000,000 by 10,000", many[name] / before, target, "x")
    report.at_most("idle CPU beside a million timers", idle, _IDLE_TARGET, " %")


def _furnish(service: Service, sink: int) -> None:
    reading.furnish(service, sink)
    arrival.furnish(service)
    scene.workflow(service, "later", "delay")
    scene.workflow(service, "news", "in_app")
    calls.run(scene.topic(service.database_url(), "some", _MEMBERS))


async def _halves(write: Callable[[str, int, int], Awaitable[None]], url: str, first: int) -> None:
    half = _MANY // 2
    await asyncio.gather(write(url, first, half), write(url, half + 1, _MANY))


def _broadcast(service: Service) -> dict[str, float]:
    """To as many in both cases, so it is measured beside the jobs and before there are more
    people."""
    path, body = "/v1/events/trigger/broadcast", {"name": "news"}
    found = [fan_out.measure(service, path, body, _FEW)[0] for _ in range(_ROUNDS)]
    return {"broadcast, CPU": min(found)}


def _figures(service: Service, seed: str) -> dict[str, float]:
    """The best of a few rounds. Pages come last, so that both show the same kind of events."""
    to = {"name": "order", "to": {"type": "Topic", "topicKey": "some"}}
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(_ROUNDS):
        _, times = asyncio.run(arrival.measure(service, _ARRIVALS))
        found["trigger to socket, p50"].append(statistics.median(times))
        found["event, CPU"].append(events.measure(service, f"{seed}-{number}", 300)[0])
        topic = fan_out.measure(service, "/v1/events/trigger", to, _MEMBERS)
        found["member of a topic, CPU"].append(topic[0])
        for name, path in reading.PAGES.items():
            micros, timing = reading.measure(service, name)
            found[f"GET {path}, CPU"].append(micros)
            found[f"GET {path}, p50"].append(timing.wait(0.5))
    return {name: min(each) for name, each in found.items()}


def _accepted(data: Path) -> dict[str, float]:
    """Without an engine, as in the figure itself."""
    with serving_in(data, "--no-engine") as service:
        micros = accepting.measure(service)[0]
        calls.run(scene.forgotten(service.database_url()))
    return {"trigger accepted, CPU": micros}


def _idle(service: Service) -> float:
    time.sleep(2)
    pids: Sequence[int] = service.everyone()
    before = machine.cpu_seconds(pids)
    time.sleep(_IDLE_SECONDS)
    return (machine.cpu_seconds(pids) - before) / _IDLE_SECONDS * 100
