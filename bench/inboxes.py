"""Connected inboxes for a figure: opens sessions and keeps socket.io websockets."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bench.service import Service

_AT_ONCE = 50
_RECEIVED = '42["notification_received"'


class Inbox:
    """One socket and when it was told of each message."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.told: asyncio.Queue[float] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            if message.data == "2":
                await self._socket.send_str("3")
            elif message.data.startswith(_RECEIVED):
                self.told.put_nowait(time.perf_counter())

    async def close(self) -> None:
        await self._socket.close()
        await self._reading


def address(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}"


@asynccontextmanager
async def connected(service: Service, subscribers: list[str]) -> AsyncIterator[list[Inbox]]:
    connector = aiohttp.TCPConnector(limit=0)
    gate = asyncio.Semaphore(_AT_ONCE)
    async with aiohttp.ClientSession(address(service), connector=connector) as client:
        application = await _application(client, service)

        async def connect(subscriber: str) -> Inbox:
            async with gate:
                token = await _token(client, application, subscriber)
                socket = await client.ws_connect(
                    "/socket.io/", params={"EIO": "4", "transport": "websocket", "token": token}
                )
                await socket.receive_str()
                await socket.send_str("40")
                await socket.receive_str()
                return Inbox(socket)

        inboxes = await asyncio.gather(*map(connect, subscribers))
        yield inboxes
        await asyncio.gather(*(inbox.close() for inbox in inboxes))


async def _application(client: aiohttp.ClientSession, service: Service) -> str:
    async with client.get("/v1/environments", headers=service.headers) as answer:
        found: list[dict[str, Any]] = json.loads(await answer.text())
    return next(str(each["identifier"]) for each in found if each["name"] == "Development")


async def _token(client: aiohttp.ClientSession, application: str, subscriber: str) -> str:
    body = {"applicationIdentifier": application, "subscriber": {"subscriberId": subscriber}}
    async with client.post("/v1/inbox/session", json=body) as answer:
        return str((await answer.json())["data"]["token"])
