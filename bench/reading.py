"""What a page costs: subscribers, and events with their jobs and details, the same page each time
and another each time."""

import itertools
from typing import Any

import asyncpg

from bench import calls, floors, report, scene
from bench.report import Timing
from bench.service import Service, server, serving
from tidings.domain.paging import Asked
from tidings.storage import notifications, subscribers

PAGES = {"subscribers": "/v2/subscribers", "notifications": "/v1/notifications"}
_TARGET = 2.0
_PEOPLE = 10_000
_EVENTS = 1000
_SIZE = 10


def run() -> None:
    with server("sink") as (sink, _), serving() as service:
        furnish(service, sink)
        for name in PAGES:
            micros, timing = measure(service, name)
            report.against_floor(
                f"GET {PAGES[name]}", micros, floor(service, name), _TARGET, timing
            )
        through(service)


def through(service: Service) -> None:
    """All pages of events in turn, which are more than what is remembered of them."""
    asked = itertools.cycle(
        calls.request("GET", f"{PAGES['notifications']}?page={number}", service.headers)
        for number in range(_EVENTS // _SIZE)
    )
    micros, timing = floors.hammered(
        service.port, lambda: next(asked), floors.CONNECTIONS, service.cpu_seconds
    )
    report.plain("the same, another page each time", micros, timing)


def furnish(service: Service, sink: int) -> None:
    scene.channels(service, sink)
    scene.workflow(service, "order", "in_app", "email", "chat")
    calls.run(scene.people(service.database_url(), 1, _PEOPLE, sink))
    requests = scene.triggers(service, "order", _PEOPLE, _EVENTS, "reading")
    calls.run(calls.send_all(service.port, requests, 8))
    calls.run(scene.finished(service.database_url()))
    calls.run(scene.tidied(service.database_url()))


def measure(service: Service, name: str) -> tuple[float, Timing]:
    made = calls.request("GET", PAGES[name], service.headers)
    return floors.hammered(service.port, lambda: made, floors.CONNECTIONS, service.cpu_seconds)


def floor(service: Service, name: str) -> float:
    """F1 with an answer of the same size, and F2."""
    made = calls.request("GET", PAGES[name], service.headers)
    size = calls.run(_size(service.port, made))
    bare = floors.request(calls.request("GET", f"/{size}", service.headers))
    return bare + calls.run(_statements(service.database_url(), name))


async def _size(port: int, made: bytes) -> int:
    connection = (await calls.connect(port, 1))[0]
    answer = await connection.ask(made)
    connection.close()
    return len(answer.partition(b"\r\n\r\n")[2])


async def _statements(url: str, name: str) -> float:
    connection = await asyncpg.connect(url)
    scope = await scene.scope_of(connection)
    await connection.close()

    async def page(connection: Any) -> None:
        if name == "subscribers":
            await subscribers.page(connection, scope, Asked(), {})
        else:
            await notifications.page(connection, scope, notifications.Filter(), 0, _SIZE)

    return await floors.statements(url, await floors.recorded(url, page))
