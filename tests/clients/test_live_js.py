"""The published JavaScript client, live: it is told of a message and of the counts."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.javascript import CODE, needs_javascript
from tests.flows.serving import Server, serving
from tests.flows.test_engine import INBOX, variables

WAYS = {"ada": "socket.io", "bob": "websocket"}

pytestmark = needs_javascript


@pytest.fixture
def server(empty_url: str, tmp_path: Path) -> Iterator[Server]:
    chosen = {**variables(empty_url), "TIDINGS_DIALECT": "novu"}
    with serving(log=tmp_path / "log", **chosen) as server:
        yield server


class Client:
    """The client in a process of its own."""

    def __init__(self, server: Server, key: str, way: str) -> None:
        found = server.get("/v1/environments").json()["data"]
        application = next(each["identifier"] for each in found if each["name"] == "Development")
        self._process = subprocess.Popen(
            ["node", "live.mjs", server.base, application, key, way],
            cwd=CODE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def until(self, event: str) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            assert said["event"] != "failed", said
            if said["event"] == event:
                return said.get("data")
        raise AssertionError(f"it ended without saying {event}")

    def ends(self) -> int:
        return self._process.wait(60)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def clients(server: Server) -> Iterator[dict[str, Client]]:
    """One that speaks socket.io, and one that speaks plain websockets."""
    clients = {key: Client(server, key, way) for key, way in WAYS.items()}
    yield clients
    for client in clients.values():
        client.kill()


def test_the_client_is_told_of_a_message_and_of_the_counts(
    server: Server, clients: dict[str, Client]
) -> None:
    server.post(
        "/v2/workflows", {"name": "Ping", "workflowId": "ping", "active": True, "steps": [INBOX]}
    )
    for key, client in clients.items():
        client.until("connected")
        assert client.until("unread") == _counts(0)
        server.post("/v1/events/trigger", {"name": "ping", "to": key, "payload": {"n": key}})
        received = client.until("received")
        assert (received["body"], received["isRead"]) == (key, False)
        assert received["to"]["subscriberId"] == key
        assert client.until("unseen") == 1
        assert client.until("unread") == _counts(1)
        assert client.until("unseen") == 0
        assert client.until("unread") == _counts(0)
        assert client.ends() == 0


def _counts(total: int) -> dict[str, Any]:
    return {"total": total, "severity": {"high": 0, "medium": 0, "low": 0, "none": total}}
