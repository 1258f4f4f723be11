"""Real sockets to a real server, for tests of what a connected inbox is told."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import httpx
import socketio

from tests.doors import open_doors
from tests.waiting import until_async
from tidings.api.door import Parts
from tidings.app import make_server, make_sockets
from tidings.domain.inbox import Severity
from tidings.domain.messages import Message
from tidings.domain.scope import Scope
from tidings.inbox.sockets import Sockets
from tidings.storage import inbox_changes, sent
from tidings.storage.database import Database
from tidings.world import World


class House:
    """A server in this process with everything that is live about it."""

    def __init__(self, base: str, application: str, sockets: Sockets, parts: Parts) -> None:
        self.base = base
        self.application = application
        self.sockets = sockets
        self.database: Database = parts.health.database
        self.world: World = parts.world

    async def session(self, subscriber: str) -> str:
        body = {
            "applicationIdentifier": self.application,
            "subscriber": {"subscriberId": subscriber},
        }
        async with httpx.AsyncClient(base_url=self.base) as client:
            answer = await client.post("/v1/inbox/session", json=body)
        token: str = answer.json()["data"]["token"]
        return token

    async def post(
        self, scope: Scope, key: str, body: str = "Hello", severity: Severity = "none"
    ) -> str:
        """Write a message as the engine does; its id."""
        ids = self.world.ids
        async with self.database.transaction() as tx:
            subscriber_id = await tx.fetchval(
                "SELECT id FROM subscribers WHERE environment_id = $1 AND key = $2",
                scope.environment_id,
                key,
            )
            now = self.world.clock.now()
            message = Message(
                id=ids.new(),
                notification_id=ids.new(),
                job_id=ids.new(),
                event_id=ids.new(),
                transaction_id=f"txn_{ids.new()}",
                workflow_id=ids.new(),
                step_id=ids.new(),
                subscriber_id=subscriber_id,
                channel="in_app",
                content=body,
                severity=severity,
                delivered_at=(now,),
                created_at=now,
            )
            await sent.copy(tx, [(scope, message)])
            await inbox_changes.announce_received(tx, [(scope, message)])
        return message.id


@asynccontextmanager
async def serving(parts: Parts, application: str) -> AsyncIterator[House]:
    sockets = make_sockets(parts)
    server = make_server(open_doors(parts, sockets), 5)
    await sockets.start()
    listening = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio lets small answers wait
    listening.bind(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve(sockets=[listening]))
    await server.listening.wait()
    yield House(f"http://127.0.0.1:{listening.getsockname()[1]}", application, sockets, parts)
    await sockets.stop()
    server.should_exit = True
    await task


class Told:
    """What a client was told, whichever way it is connected."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def add(self, event: str, data: Any) -> None:
        self.events.append((event, data))

    def bodies(self) -> list[str]:
        received = [data for event, data in self.events if event == "notification_received"]
        return [data["message"]["content"] for data in received]

    def last(self, event: str) -> Any:
        return next((data for name, data in reversed(self.events) if name == event), None)

    async def until(self, condition: Callable[["Told"], object]) -> None:
        async def holds() -> object:
            return condition(self)

        await until_async(holds)

    async def unread(self, count: int) -> None:
        await self.until(
            lambda told: (told.last("unread_count_changed") or {}).get("unreadCount") == count
        )


@asynccontextmanager
async def by_socket_io(base: str, token: str) -> AsyncIterator[Told]:
    told = Told()
    client = socketio.AsyncClient(reconnection=False)
    client.on("*", told.add)
    await client.connect(f"{base}?token={token}", transports=["websocket"])
    yield told
    await client.disconnect()


@asynccontextmanager
async def by_websocket(
    base: str, token: str, path: str = "/v1/inbox/socket"
) -> AsyncIterator[Told]:
    told = Told()
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{base}{path}", params={"token": token}) as socket,
    ):

        async def read() -> None:
            async for frame in socket:
                said = json.loads(frame.data)
                told.add(said["event"], said["data"])

        reading = asyncio.create_task(read())
        yield told
        await socket.close()
        await reading


class Stream(Told):
    """Server-Sent Events; `id` is what a browser would come back with."""

    def __init__(self) -> None:
        super().__init__()
        self.id: str | None = None

    def take(self, block: dict[str, str]) -> None:
        self.id = block.get("id", self.id)
        if "data" in block:
            self.add(block["event"], json.loads(block["data"]))


@asynccontextmanager
async def by_stream(base: str, token: str, last: str | None = None) -> AsyncIterator[Stream]:
    told = Stream()
    headers = {"Authorization": f"Bearer {token}"}
    if last is not None:
        headers["Last-Event-ID"] = last
    async with httpx.AsyncClient(base_url=base, timeout=None) as client:

        async def read() -> None:
            block: dict[str, str] = {}
            async with client.stream("GET", "/v1/inbox/stream", headers=headers) as answer:
                assert answer.status_code == 200
                async for line in answer.aiter_lines():
                    name, _, value = line.partition(": ")
                    if line:
                        block[name] = value
                    else:
                        told.take(block)
                        block = {}

        reading = asyncio.create_task(read())
        yield told
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
