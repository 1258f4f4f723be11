"""Live inboxes across real processes: told by one of what happens in another, and after a death."""

import asyncio
from pathlib import Path

import aiohttp
import httpx

from tests.flows.serving import KEY, Server, serving
from tests.flows.test_engine import INBOX, Caller, variables
from tests.inbox.live import Told, by_socket_io, by_stream, by_websocket
from tests.waiting import until, until_async


def session(server: Server, subscriber: str = "ada") -> str:
    found = server.get("/v1/environments").json()
    application = next(each["identifier"] for each in found if each["name"] == "Development")
    body = {"applicationIdentifier": application, "subscriber": {"subscriberId": subscriber}}
    answer = httpx.post(f"{server.base}/v1/inbox/session", json=body, timeout=30)
    assert answer.status_code == 201, answer.text
    token: str = answer.json()["data"]["token"]
    return token


def prepare(server: Server) -> Caller:
    caller = Caller(server)
    workflow = {"name": "Ping", "workflowId": "ping", "active": True, "steps": [INBOX]}
    caller.post("/v2/workflows", workflow)
    return caller


def is_online(server: Server, key: str = "ada") -> bool | None:
    found: bool | None = server.get(f"/v2/subscribers/{key}").json()["isOnline"]
    return found


async def test_a_socket_on_one_process_is_told_of_what_happens_in_another(
    empty_url: str, tmp_path: Path
) -> None:
    with (
        serving("--no-engine", log=tmp_path / "one", **variables(empty_url)) as one,
        serving(log=tmp_path / "two", **variables(empty_url)) as two,
    ):
        caller = prepare(two)
        token = session(two)
        async with by_socket_io(one.base, token) as told, by_websocket(two.base, token) as beside:
            await told.unread(0)
            await asyncio.to_thread(caller.trigger, payload={"n": 1})
            await told.unread(1)
            await beside.unread(1)
            assert told.bodies() == beside.bodies() == ["1"]
            async with httpx.AsyncClient(
                base_url=two.base, headers={"Authorization": f"Bearer {token}"}, timeout=30
            ) as inbox:
                await inbox.post("/v1/inbox/notifications/read", json={})
            await told.unread(0)
            await beside.unread(0)


async def test_a_killed_process_leaves_nobody_online_but_those_who_are(
    empty_url: str, tmp_path: Path
) -> None:
    with (
        serving("--no-engine", log=tmp_path / "one", **variables(empty_url)) as one,
        serving("--no-engine", log=tmp_path / "two", **variables(empty_url)) as two,
    ):
        ada, bob = session(one), session(one, "bob")
        connections = [by_websocket(one.base, ada), by_websocket(one.base, bob)]
        for each in connections:
            await (await each.__aenter__()).unread(0)
        async with by_websocket(two.base, bob) as told:
            await told.unread(0)
            until(lambda: is_online(two) and is_online(two, "bob"))
            one.kill()
            until(lambda: is_online(two) is False, 60)
            assert two.get("/v2/subscribers/ada").json()["lastOnlineAt"] is not None
            assert is_online(two, "bob")
        until(lambda: is_online(two, "bob") is False)
        for each in connections:
            await each.__aexit__(None, None, None)


async def test_a_restarted_service_corrects_what_the_killed_one_left(
    empty_url: str, tmp_path: Path
) -> None:
    with serving("--no-engine", log=tmp_path / "one", **variables(empty_url)) as one:
        async with by_websocket(one.base, session(one)) as told:
            await told.unread(0)
            until(lambda: is_online(one))
            one.kill()
    with serving("--no-engine", log=tmp_path / "two", **variables(empty_url)) as two:
        until(lambda: is_online(two) is False, 60)


async def test_a_stop_does_not_wait_for_open_connections(empty_url: str, tmp_path: Path) -> None:
    with serving("--no-engine", log=tmp_path / "log", **variables(empty_url)) as server:
        token = session(server)
        async with (
            by_stream(server.base, token) as stream,
            by_socket_io(server.base, token) as told,
            aiohttp.ClientSession() as client,
            client.ws_connect(f"{server.base}/v1/inbox/socket?token={token}") as socket,
        ):
            await stream.unread(0)
            await told.unread(0)
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            while (frame := await socket.receive(timeout=30)).type == aiohttp.WSMsgType.TEXT:
                pass
            assert frame.data == 1012
            assert await stopping == 0
        assert "Traceback" not in server.said()


async def test_tokens_are_not_in_the_log(empty_url: str, tmp_path: Path) -> None:
    chosen = {**variables(empty_url), "TIDINGS_LOG_LEVEL": "debug"}
    with serving("--no-engine", log=tmp_path / "log", **chosen) as server:
        token = session(server)
        async with (
            by_socket_io(server.base, token) as one,
            by_websocket(server.base, token) as two,
        ):
            await one.unread(0)
            await two.unread(0)
        server.get(f"/v1/inbox/stream?token={token}x")
        server.get(f"/socket.io/?token={token}")
        assert server.stop() == 0
        said = server.said()
    assert "/v1/inbox/stream" in said
    assert token.split(".")[2] not in said
    assert token not in said


async def test_with_several_processes_on_one_port_everyone_is_told(
    empty_url: str, tmp_path: Path
) -> None:
    arguments = ("--api-processes", "2", "--engine-processes", "1")
    with serving(*arguments, log=tmp_path / "log", **variables(empty_url)) as server:
        caller = prepare(server)
        tokens = [session(server, f"s{number}") for number in range(6)]
        connections = [by_socket_io(server.base, token) for token in tokens]
        told: list[Told] = [await each.__aenter__() for each in connections]
        for each in told:
            await each.unread(0)
        headers = {"Authorization": f"ApiKey {KEY}"}
        async with httpx.AsyncClient(base_url=caller.base, headers=headers, timeout=30) as client:
            body = {"name": "ping", "payload": {"n": "to all"}}
            answer = await client.post("/v1/events/trigger/broadcast", json=body)
            assert answer.status_code == 201
        for each in told:
            await each.unread(1)
            assert each.bodies() == ["to all"]
        for connection in connections:
            await connection.__aexit__(None, None, None)

        async def all_offline() -> bool:
            online = [is_online(server, f"s{number}") for number in range(len(connections))]
            return online == [False] * len(connections)

        await until_async(all_offline)
