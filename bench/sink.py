"""An HTTP server that takes every POST and says yes: stands for the providers of the world."""

import asyncio
import sys
from typing import cast

import uvloop

_BODY = b'{"id":"sink-1"}'
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(_BODY),
    _BODY,
)


class Sink(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if found and len(body) >= _length(head):
            self._received = b""
            self._transport.write(_ANSWER)


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


async def _main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_main(int(sys.argv[1])))
