"""2,000 inboxes connected to one process are told of one broadcast."""

import asyncio
import resource
import time

from bench import machine
from bench.inboxes import connected
from bench.service import Service, serving

_SOCKETS = 2000
_IDLE_SECONDS = 5.0
_DEADLINE_SECONDS = 60.0


def run() -> None:
    _allow_files(2 * _SOCKETS + 200)
    with serving() as service:
        step = {"name": "Inbox", "type": "in_app", "controlValues": {"body": "{{payload.n}}"}}
        service.post("/v2/workflows", {
            "name": "All", "workflowId": "all", "active": True, "steps": [step],
        })  # fmt: skip
        asyncio.run(_measure(service))


async def _measure(service: Service) -> None:
    python = service.python()
    people = [f"s{number}" for number in range(_SOCKETS)]
    async with connected(service, people[:1]):
        before = machine.resident_megabytes(python)
    cpu, started = machine.cpu_seconds(python), time.perf_counter()
    async with connected(service, people) as inboxes:
        seconds = time.perf_counter() - started
        used = machine.cpu_seconds(python) - cpu
        print(f"session and connection     {seconds / _SOCKETS * 1e3:8.2f} ms each, "
              f"{used / _SOCKETS * 1e6:.0f} µs of Python CPU")  # fmt: skip
        await asyncio.sleep(2)
        memory = machine.resident_megabytes(python)
        print(f"memory with {_SOCKETS} sockets   {memory:8.0f} MB, before {before:.0f} "
              f"({(memory - before) / _SOCKETS * 1e3:.0f} kB each)")  # fmt: skip
        cpu = machine.cpu_seconds(python)
        await asyncio.sleep(_IDLE_SECONDS)
        idle = (machine.cpu_seconds(python) - cpu) / _IDLE_SECONDS * 100
        print(f"CPU while nothing happens  {idle:8.1f} %")
        cpu, started = machine.cpu_seconds(python), time.perf_counter()
        await asyncio.to_thread(
            service.post, "/v1/events/trigger/broadcast", {"name": "all", "payload": {"n": 1}}
        )
        async with asyncio.timeout(_DEADLINE_SECONDS):
            times = await asyncio.gather(*(inbox.told.get() for inbox in inboxes))
        used = machine.cpu_seconds(python) - cpu
        print(f"broadcast told to the last {max(times) - started:8.2f} s    (target: a few)")
        print(f"broadcast told to the first{min(times) - started:8.2f} s")
        print(f"CPU per socket             {used / _SOCKETS * 1e6:8.0f} µs of Python, "
              "fan-out included")  # fmt: skip


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))
