"""What connected inboxes are told, over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from datetime import timedelta
from typing import Any

import aiohttp
import asyncpg
import httpx
import pytest
import socketio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from socketio.exceptions import ConnectionError as RefusedError

from tests.inbox.live import House, Told, by_socket_io, by_stream, by_websocket, serving
from tests.waiting import until_async
from tidings.actions import inbox_sessions as sessions
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.inbox import news
from tidings.inbox.mailbox import Mailbox
from tidings.inbox.news import News
from tidings.inbox.tokens import Visitor
from tidings.storage import inbox_counts, subscribers
from tidings.storage.database import Database

Connect = Callable[[str, str], AbstractAsyncContextManager[Told]]


@pytest.fixture
async def house(parts: Parts, application: str) -> AsyncIterator[House]:
    async with serving(parts, application) as house:
        yield house


def caller(house: House, token: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=house.base, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("connect", [by_socket_io, by_websocket, by_stream])
async def test_a_message_arrives_with_the_counts_that_follow(
    house: House, scope: Scope, connect: Connect
) -> None:
    async with connect(house.base, await house.session("ada")) as told:
        await told.unread(0)
        id = await house.post(scope, "ada", "Lunch?", "high")
        await told.unread(1)
    events = [event for event, _ in told.events]
    assert events[-3:] == [news.RECEIVED, news.UNSEEN, news.UNREAD]
    message = told.last(news.RECEIVED)["message"]
    assert message["_id"] == id
    assert message["content"] == "Lunch?"
    assert message["cta"] == {}
    assert message["subscriber"]["subscriberId"] == "ada"
    assert (message["read"], message["seen"], message["archived"]) == (False, False, False)
    assert told.last(news.UNSEEN) == {"unseenCount": 1, "hasMore": False}
    assert told.last(news.UNREAD) == {
        "unreadCount": 1,
        "counts": {"total": 1, "severity": {"high": 1, "medium": 0, "low": 0, "none": 0}},
        "hasMore": False,
    }


async def test_a_plain_socket_may_be_opened_at_the_root_and_answers_signs_of_life(
    house: House,
) -> None:
    token = await house.session("ada")
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{house.base}/", params={"token": token}) as socket,
    ):
        await socket.send_str("ping")
        frames = [await socket.receive_str(timeout=10) for _ in range(3)]
    assert "pong" in frames


async def test_nobody_is_told_of_another_subscribers_messages(house: House, scope: Scope) -> None:
    tokens = [await house.session(name) for name in ("ada", "bob")]
    async with (
        by_socket_io(house.base, tokens[0]) as ada,
        by_socket_io(house.base, tokens[1]) as bob,
    ):
        for number in range(5):
            await house.post(scope, "ada", f"for ada {number}")
        await ada.unread(5)
        await house.post(scope, "bob", "for bob")
        await bob.unread(1)
    assert bob.bodies() == ["for bob"]
    assert {data["unreadCount"] for event, data in bob.events if event == news.UNREAD} == {0, 1}
    assert ada.bodies() == [f"for ada {number}" for number in range(5)]


async def test_every_connection_of_a_subscriber_is_told(house: House, scope: Scope) -> None:
    token = await house.session("ada")
    async with (
        by_socket_io(house.base, token) as one,
        by_websocket(house.base, token) as two,
        by_stream(house.base, token) as three,
    ):
        for told in (one, two, three):
            await told.unread(0)
        await house.post(scope, "ada", "to all")
        for told in (one, two, three):
            await told.unread(1)
            assert told.bodies() == ["to all"]


async def test_counts_stop_at_a_hundred(house: House, scope: Scope) -> None:
    async with by_websocket(house.base, await house.session("ada")) as told:
        for _ in range(101):
            await house.post(scope, "ada")
        await told.until(lambda told: (told.last(news.UNREAD) or {}).get("hasMore"))
    assert told.last(news.UNREAD)["unreadCount"] == 100
    assert told.last(news.UNSEEN) == {"unseenCount": 100, "hasMore": True}


ACTIONS = (
    "post", "post high", "read", "unread", "archive", "unarchive", "seen all", "read all",
    "archive all", "snooze", "unsnooze", "delete",
)  # fmt: skip


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 9)), max_size=12))
async def test_the_last_counts_told_are_those_of_the_list(
    house: House, scope: Scope, steps: list[tuple[str, int]]
) -> None:
    token = await house.session("ada")
    ids: list[str] = []
    async with caller(house, token) as client, by_socket_io(house.base, token) as told:
        for action, number in steps:
            if action.startswith("post"):
                severity: Any = "high" if action.endswith("high") else "none"
                ids.append(await house.post(scope, "ada", severity=severity))
            elif action.endswith("all"):
                await client.post(f"/v1/inbox/notifications/{action.split()[0]}", json={})
            elif ids:
                await _do(house, client, action, ids[number % len(ids)])
        wanted = {"archived": "false", "snoozed": "false", "limit": "100"}
        answer = await client.get("/v1/inbox/notifications", params=wanted)
        listed = answer.json()["data"]
        unread = [each for each in listed if not each["isRead"]]
        unseen = [each for each in listed if not each["isSeen"]]

        def agrees(told: Told) -> bool:
            counts = told.last(news.UNREAD)
            return counts is not None and (
                counts["unreadCount"],
                counts["counts"]["severity"]["high"],
                told.last(news.UNSEEN)["unseenCount"],
            ) == (
                len(unread),
                sum(each["severity"] == "high" for each in unread),
                len(unseen),
            )

        await told.until(agrees)


async def _do(house: House, client: httpx.AsyncClient, action: str, id: str) -> None:
    """Some are refused in some states, which changes nothing."""
    path = f"/v1/inbox/notifications/{id}"
    if action == "delete":
        await client.delete(f"{path}/delete")
    elif action == "snooze":
        until = house.world.clock.now() + timedelta(hours=1)
        await client.patch(f"{path}/snooze", json={"snoozeUntil": until.isoformat()})
    else:
        await client.patch(f"{path}/{action}")


async def test_a_burst_costs_few_questions(
    house: House, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    counted = inbox_counts.of

    async def counting(connection: Any, ids: Any) -> Any:
        asked.append(len(ids))
        return await counted(connection, ids)

    people = [f"s{number}" for number in range(20)]
    tokens = [await house.session(name) for name in people]
    async with AsyncExitStack() as stack:
        told = [await stack.enter_async_context(by_websocket(house.base, each)) for each in tokens]
        for each in told:
            await each.unread(0)
        monkeypatch.setattr(inbox_counts, "of", counting)
        await asyncio.gather(
            *(house.post(scope, name) for name in people for _ in range(5)),
        )
        for each in told:
            await each.unread(5)
    assert len(asked) < 50
    assert max(asked) > 1


async def test_a_stream_goes_on_where_it_was_cut_off(house: House, scope: Scope) -> None:
    token = await house.session("ada")
    async with by_stream(house.base, token) as before:
        await house.post(scope, "ada", "one")
        await before.unread(1)
    await house.post(scope, "ada", "two")
    await house.post(scope, "ada", "three")
    async with by_stream(house.base, token, before.id) as after:
        await after.unread(3)
        assert after.bodies()[-2:] == ["two", "three"]
        await house.post(scope, "ada", "four")
        await after.unread(4)
    assert after.bodies()[-1] == "four"
    assert after.bodies().count("four") == 1


async def test_a_stream_passes_over_a_mark_that_is_not_ours(house: House, scope: Scope) -> None:
    token = await house.session("ada")
    await house.post(scope, "ada", "before")
    async with by_stream(house.base, token, "nonsense") as told:
        await told.unread(1)
    assert told.bodies() == []


async def test_a_stream_wants_a_token_and_never_repeats_it(house: House) -> None:
    async with httpx.AsyncClient(base_url=house.base) as client:
        nothing = await client.get("/v1/inbox/stream")
        wrong = await client.get("/v1/inbox/stream", params={"token": "not-a-token"})
    assert nothing.status_code == wrong.status_code == 401
    assert "not-a-token" not in wrong.text


async def test_a_wrong_token_is_refused_on_every_way(house: House) -> None:
    client = socketio.AsyncClient(reconnection=False)
    with pytest.raises(RefusedError):
        await client.connect(f"{house.base}?token=wrong", transports=["websocket"])
    await client.disconnect()
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{house.base}/v1/inbox/socket?token=wrong") as socket,
    ):
        closed = await socket.receive(timeout=10)
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, 4401)


async def test_a_token_may_come_with_the_socket_io_handshake(house: House) -> None:
    client = socketio.AsyncClient(reconnection=False)
    told = Told()
    client.on("*", told.add)
    auth = {"token": await house.session("ada")}
    await client.connect(house.base, auth=auth, transports=["websocket"])
    await told.unread(0)
    await client.disconnect()


async def test_long_polling_is_refused_with_the_remedy(house: House) -> None:
    async with httpx.AsyncClient(base_url=house.base) as client:
        answer = await client.get("/socket.io/", params={"EIO": "4", "transport": "polling"})
    assert answer.status_code == 400
    assert "transports: ['websocket']" in answer.json()["message"]
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_websocket_elsewhere_is_refused(house: House) -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(f"{house.base}/v1/elsewhere")


async def test_when_all_sessions_end_the_connections_end_too(
    house: House, database: Database, scope: Scope
) -> None:
    token = await house.session("ada")
    client = socketio.AsyncClient(reconnection=False)
    gone = asyncio.Event()

    async def leave(*_: object) -> None:
        gone.set()

    client.on("disconnect", leave)
    await client.connect(f"{house.base}?token={token}", transports=["websocket"])
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{house.base}/v1/inbox/socket?token={token}") as socket,
    ):
        async with database.transaction() as tx:
            await sessions.end_all(tx, scope, house.world)
        await asyncio.wait_for(gone.wait(), 30)
        while (frame := await socket.receive(timeout=30)).type == aiohttp.WSMsgType.TEXT:
            pass
        assert frame.data == 4401


async def test_missed_announcements_are_made_up_for(
    house: House, database: Database, scope: Scope
) -> None:
    async with by_websocket(house.base, await house.session("ada")) as told:
        await told.unread(0)
        async with database.transaction() as tx:  # unannounced, as if nobody had heard it
            id = await subscribers.id_of(tx, scope, "ada")
            await tx.execute(
                "INSERT INTO messages (id, organization_id, environment_id, notification_id, "
                "job_id, event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, "
                "status, content, created_at, updated_at) VALUES ($1, $2, $3, $1, $1, $1, $1, $1, "
                "$1, $4, 'in_app', 'sent', '\"Hi\"', now(), now())",
                house.world.ids.new(),
                scope.organization_id,
                scope.environment_id,
                id,
            )
        connection: asyncpg.Connection[asyncpg.Record] = await database.connect()
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
        await connection.close()
        await told.unread(1)


async def test_presence_follows_the_connections(
    house: House, database: Database, scope: Scope
) -> None:
    token = await house.session("ada")

    async def is_online() -> bool | None:
        async with database.connection() as connection:
            return (await subscribers.get(connection, scope, "ada")).is_online

    async def goes_offline() -> bool:
        return await is_online() is False

    async with by_socket_io(house.base, token):
        async with by_stream(house.base, token) as told:
            await told.unread(0)
            await until_async(is_online)
        assert await is_online()
    await until_async(goes_offline)


async def test_a_slow_client_is_skipped_and_told_the_counts_later(
    house: House, scope: Scope, parts: Parts
) -> None:
    """A client that does not read: its mailbox fills, others are told, and it gets fresh counts."""
    token = await house.session("ada")
    visitor = await house.sockets.live.tokens.visitor(token)
    assert isinstance(visitor, Visitor)
    slow = Mailbox(visitor, token)
    await house.sockets.live.join(slow)
    async with by_websocket(house.base, token) as quick:
        for number in range(120):
            await house.post(scope, "ada", str(number))
        await quick.unread(100)
        await quick.until(lambda told: len(told.bodies()) == 120)
        waiting = await slow.take()
        assert len(waiting) == 100
        taken: list[News] = []
        with suppress(TimeoutError):
            while not any(each.event == news.UNREAD for each in taken):
                taken += await asyncio.wait_for(slow.take(), 10)
        assert '"hasMore":true' in taken[-1].data
    house.sockets.live.leave(slow)


async def test_stopping_ends_streams_at_once(parts: Parts, application: str) -> None:
    async with serving(parts, application) as house:
        told = by_stream(house.base, await house.session("ada"))
        stream = await told.__aenter__()
        await stream.unread(0)
    async with asyncio.timeout(1):
        await told.__aexit__(None, None, None)
