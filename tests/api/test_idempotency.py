"""The header idempotency-key: one effect, whatever happens on the way."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import msgspec
import pytest
from litestar import delete, get, post
from litestar.params import FromPath, JSONBody
from litestar.types import ASGIApp

from tests.conftest import OTHER_KEY, caller_of, make_world
from tests.doors import open_probe
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.clock import ManualClock
from tidings.domain.errors import ConflictError
from tidings.engine import housekeeping, queue
from tidings.hall.given import Conn, Tx
from tidings.storage import idempotency
from tidings.storage.database import Database
from tidings.world import World


class In(msgspec.Struct):
    name: str
    wait: float = 0
    fail: str = ""


@post("/v1/effects")
async def cause(tx: Tx, data: JSONBody[In]) -> dict[str, int]:
    number: int = await tx.fetchval(
        "INSERT INTO effects (name) VALUES ($1) RETURNING number", data.name
    )
    await asyncio.sleep(data.wait)
    if data.fail == "conflict":
        raise ConflictError("Not like that.")
    if data.fail == "bug":
        raise ZeroDivisionError
    return {"number": number}


@delete("/v1/effects/{name:str}")
async def undo(tx: Tx, name: FromPath[str]) -> None:
    await tx.execute("DELETE FROM effects WHERE name = $1", name)


@get("/v1/effects")
async def count(conn: Conn) -> int:
    number: int = await conn.fetchval("SELECT count(*) FROM effects")
    return number


@pytest.fixture
async def door(parts: Parts, database: Database) -> ASGIApp:
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE effects (number serial, name text)")
    return open_probe(parts, cause, undo, count)


@pytest.fixture
async def probe(door: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    async with caller_of(door) as client:
        yield client


def keyed(key: str) -> dict[str, str]:
    return {"idempotency-key": key}


async def effects(probe: httpx.AsyncClient) -> int:
    return int((await probe.get("/v1/effects")).json())


async def test_a_repetition_is_answered_byte_for_byte(probe: httpx.AsyncClient) -> None:
    first = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    again = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert first.headers["content-type"] == again.headers["content-type"]
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"] == "k"
    assert "idempotency-replay" not in first.headers
    assert again.headers["idempotency-replay"] == "true"
    assert await effects(probe) == 1


async def test_fifty_at_once_have_one_effect(probe: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(
        *(
            probe.post("/v1/effects", json={"name": "a", "wait": 0.2}, headers=keyed("k"))
            for _ in range(50)
        )
    )
    fresh = [a for a in answers if a.status_code == 201 and "idempotency-replay" not in a.headers]
    assert len(fresh) == 1
    statuses = Counter(a.status_code for a in answers)
    assert set(statuses) <= {201, 409}
    for answer in answers:
        if answer.status_code == 409:
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["error"] == "Conflict"
    assert await effects(probe) == 1


async def test_another_body_under_the_same_key(probe: httpx.AsyncClient) -> None:
    await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    answer = await probe.post("/v1/effects", json={"name": "b"}, headers=keyed("k"))
    assert answer.status_code == 422
    assert "idempotency-key" in answer.json()["errors"]
    assert await effects(probe) == 1


async def test_the_key_belongs_to_method_path_and_environment(
    probe: httpx.AsyncClient, door: ASGIApp
) -> None:
    await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert (await probe.delete("/v1/effects/zz", headers=keyed("k"))).status_code == 204
    assert (await probe.delete("/v1/effects/a", headers=keyed("k"))).status_code == 204
    assert await effects(probe) == 0
    async with caller_of(door, OTHER_KEY) as other:
        answer = await other.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert "idempotency-replay" not in answer.headers
    assert await effects(probe) == 1


async def test_an_empty_answer_is_replayed_too(probe: httpx.AsyncClient) -> None:
    for expected in (None, "true"):
        answer = await probe.delete("/v1/effects/a", headers=keyed("k"))
        assert answer.status_code == 204
        assert answer.headers.get("idempotency-replay") == expected
        assert answer.content == b""


async def test_a_refusal_is_kept_and_has_no_effect(probe: httpx.AsyncClient) -> None:
    sent = {"name": "a", "fail": "conflict"}
    first = await probe.post("/v1/effects", json=sent, headers=keyed("k"))
    again = await probe.post("/v1/effects", json=sent, headers=keyed("k"))
    assert first.status_code == again.status_code == 409
    assert first.content == again.content
    assert again.headers["idempotency-replay"] == "true"
    assert await effects(probe) == 0


async def test_a_fault_is_not_kept(probe: httpx.AsyncClient) -> None:
    sent = {"name": "a", "fail": "bug"}
    first = await probe.post("/v1/effects", json=sent, headers=keyed("k"))
    again = await probe.post("/v1/effects", json=sent, headers=keyed("k"))
    assert first.status_code == again.status_code == 500
    assert first.json()["errorId"] != again.json()["errorId"]
    assert await effects(probe) == 0


async def test_the_key_is_ignored_when_reading(probe: httpx.AsyncClient) -> None:
    assert (await probe.get("/v1/effects", headers=keyed("k"))).json() == 0
    await probe.post("/v1/effects", json={"name": "a"})
    assert (await probe.get("/v1/effects", headers=keyed("k"))).json() == 1


async def test_a_key_that_is_too_long(probe: httpx.AsyncClient) -> None:
    answer = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k" * 256))
    assert answer.status_code == 400
    longest = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k" * 255))
    assert longest.status_code == 201


async def test_without_a_key_every_request_counts(probe: httpx.AsyncClient) -> None:
    for _ in range(2):
        assert (await probe.post("/v1/effects", json={"name": "a"})).status_code == 201
    assert await effects(probe) == 2


async def test_a_crash_between_effect_and_answer_replays(
    probe: httpx.AsyncClient, door: ASGIApp
) -> None:
    """The process dies after the commit, before the first byte of the answer."""
    crashing = await _with_crash(door)
    async with caller_of(crashing) as client:
        with pytest.raises(_CrashError):
            await client.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert await effects(probe) == 1
    again = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert again.status_code == 201
    assert again.headers["idempotency-replay"] == "true"
    assert await effects(probe) == 1


async def test_a_crash_before_the_commit_leaves_nothing(
    probe: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies after the handler's effect, when the record is about to be kept."""
    kept = idempotency.keep

    async def die(*arguments: object) -> bool:
        raise asyncio.CancelledError

    monkeypatch.setattr(idempotency, "keep", die)
    with pytest.raises(asyncio.CancelledError):
        await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    monkeypatch.setattr(idempotency, "keep", kept)
    assert await effects(probe) == 0
    answer = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert answer.status_code == 201
    assert "idempotency-replay" not in answer.headers


async def test_a_winner_that_slipped_in_is_replayed(
    probe: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request commits between our look and our lock: ours is undone and answers its."""
    await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    looks = 0
    look = idempotency.claim

    async def blind_at_first(*arguments: object) -> object:
        nonlocal looks
        looks += 1
        return (True, None) if looks == 1 else await look(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(idempotency, "claim", blind_at_first)
    answer = await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))
    assert answer.headers["idempotency-replay"] == "true"
    assert await effects(probe) == 1


async def test_an_answer_is_kept_for_a_day_and_then_removed(
    parts: Parts, database: Database
) -> None:
    clock = ManualClock()
    world: World = make_world(clock)
    health = Health(database, clock, None, queue.state)
    aged = msgspec.structs.replace(parts, world=world, health=health)
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE effects (number serial, name text)")
    async with caller_of(open_probe(aged, cause, count)) as probe:

        async def send() -> None:
            await probe.post("/v1/effects", json={"name": "a"}, headers=keyed("k"))

        await send()
        clock.advance(timedelta(hours=23, minutes=59))
        assert await housekeeping.clean(database, world) == 0
        await send()
        assert await effects(probe) == 1
        clock.advance(timedelta(minutes=2))
        await send()
        assert await effects(probe) == 2
        clock.advance(timedelta(hours=25))
        assert await housekeeping.clean(database, world) == 1


class _CrashError(BaseException):
    pass


async def _with_crash(door: ASGIApp) -> ASGIApp:
    async def crashing(scope: object, receive: object, send: object) -> None:
        async def die(message: object) -> None:
            raise _CrashError

        await door(scope, receive, die)  # type: ignore[arg-type]

    return crashing
