"""A bare ASGI application on the server that we use: what a request costs before we do anything.

Answers what it is sent, or as many bytes as its path says.
"""

import sys
from typing import Any

import uvicorn


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    more = True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    body = body or b"x" * int(scope["path"][1:])
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


if __name__ == "__main__":
    uvicorn.run(
        echo,
        port=int(sys.argv[1]),
        lifespan="off",
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
    )
