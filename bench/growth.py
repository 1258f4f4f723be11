"""How cost grows: the same pages, events and topic beside 10,000 and beside 1,000,000 rows, with a
million delayed jobs waiting."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence

from bench import calls, events, fan_out, machine, reading, report, scene
from bench.service import Service, server, serving

_FEW, _MANY = 10_000, 1_000_000
_PAGE_TARGET = 1.3
_EVENT_TARGET = 1.2
_IDLE_TARGET = 2.0
_IDLE_SECONDS = 10.0
_ROUNDS = 2
_MEMBERS = 1000


def run() -> None:
    with server("sink") as (sink, _), serving() as service:
        reading.furnish(service, sink)
        scene.workflow(service, "later", "delay")
        calls.run(scene.topic(service.database_url(), "some", _MEMBERS))
        few = _figures(service, "few")
        started = time.monotonic()
        calls.run(_fill(service.database_url()))
        print(f"(a million rows of each kind written in {time.monotonic() - started:.0f} s)")
        many = _figures(service, "many")
        for name, before in few.items():
            target = _PAGE_TARGET if name.startswith("GET") else _EVENT_TARGET
            report.at_most(f"{name}: 1,000,000 by 10,000", many[name] / before, target, "x")
        report.at_most("idle CPU beside a million timers", _idle(service), _IDLE_TARGET, " %")


async def _fill(url: str) -> None:
    await asyncio.gather(scene.people(url, _FEW + 1, _MANY), scene.waiting(url, 1, _MANY))


def _figures(service: Service, seed: str) -> dict[str, float]:
    """CPU of each, and how long a page takes: the best of a few rounds."""
    to = {"name": "order", "to": {"type": "Topic", "topicKey": "some"}}
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(_ROUNDS):
        for name, path in reading.PAGES.items():
            micros, timing = reading.measure(service, name)
            found[f"GET {path}, CPU"].append(micros)
            found[f"GET {path}, p50"].append(timing.wait(0.5))
        found["event, CPU"].append(events.measure(service, f"{seed}-{number}", 300)[0])
        topic = fan_out.measure(service, "/v1/events/trigger", to, _MEMBERS)
        found["member of a topic, CPU"].append(topic[0])
    return {name: min(each) for name, each in found.items()}


def _idle(service: Service) -> float:
    time.sleep(2)
    pids: Sequence[int] = service.everyone()
    before = machine.cpu_seconds(pids)
    time.sleep(_IDLE_SECONDS)
    return (machine.cpu_seconds(pids) - before) / _IDLE_SECONDS * 100
