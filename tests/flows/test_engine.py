"""The engine in real processes on a real database, with a provider on a real socket."""

import base64
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from tests.flows.serving import KEY, Server, environment, serving
from tests.flows.sink import Sink, sinking
from tests.waiting import until, until_async
from tidings.storage.embedded import EmbeddedPostgres

ENCRYPTION_KEY = base64.b64encode(bytes(range(32))).decode()


def variables(url: str) -> dict[str, str]:
    return {
        "TIDINGS_DATABASE_URL": url,
        "TIDINGS_ENCRYPTION_KEY": ENCRYPTION_KEY,
        "TIDINGS_MODE": "development",
    }


class Caller:
    """An application that uses the service over HTTP."""

    def __init__(self, server: Server) -> None:
        self.base = server.base
        self._headers = {"Authorization": f"ApiKey {KEY}"}

    def post(self, path: str, body: Any, method: str = "POST") -> Any:
        answer = httpx.request(
            method, self.base + path, json=body, headers=self._headers, timeout=30
        )
        assert answer.status_code < 300, answer.text
        return answer.json()

    def prepare(self, sink: Sink, *steps: dict[str, Any]) -> None:
        """A chat room behind the sink for ada, and a workflow with these steps."""
        self.post(
            "/v1/integrations",
            {
                "providerId": "chat-webhook",
                "channel": "chat",
                "active": True,
                "identifier": "rooms",
                "credentials": {"webhookUrl": sink.url},
            },
        )
        self.post("/v2/subscribers", {"subscriberId": "ada", "firstName": "Ada"})
        self.post(
            "/v1/subscribers/ada/credentials",
            {
                "providerId": "chat-webhook",
                "integrationIdentifier": "rooms",
                "credentials": {"webhookUrl": sink.url},
            },
            "PATCH",
        )
        self.post(
            "/v2/workflows",
            {"name": "Ping", "workflowId": "ping", "active": True, "steps": list(steps)},
        )

    def trigger(self, **more: Any) -> str:
        body = {"name": "ping", "to": "ada", "payload": {}, **more}
        return str(self.post("/v1/events/trigger", body)["transactionId"])


CHAT = {"name": "Chat", "type": "chat", "controlValues": {"body": "{{payload.n}}"}}
INBOX = {"name": "Inbox", "type": "in_app", "controlValues": {"body": "{{payload.n}}"}}


@pytest.fixture
def sink() -> Iterator[Sink]:
    with sinking() as sink:
        yield sink


async def query(url: str, text: str) -> list[Any]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(text)]
    finally:
        await connection.close()


UNFINISHED = (
    "SELECT (SELECT count(*) FROM events WHERE status = 'accepted') + "
    "(SELECT count(*) FROM event_parts) + (SELECT count(*) FROM jobs "
    "WHERE status NOT IN ('completed', 'failed', 'canceled', 'merged', 'skipped'))"
)


async def until_finished(url: str, seconds: float = 60) -> None:
    async def finished() -> bool:
        return await query(url, UNFINISHED) == [(0,)]

    await until_async(finished, seconds)


async def test_a_trigger_reaches_a_provider_and_the_inbox(
    tmp_path: Path, empty_url: str, sink: Sink
) -> None:
    with serving(log=tmp_path / "log", **variables(empty_url)) as server:
        caller = Caller(server)
        caller.prepare(sink, INBOX, CHAT)
        caller.trigger(payload={"n": 7})
        until(lambda: len(sink.bodies) == 1)
        assert b"7" in sink.bodies[0]
        await until_finished(empty_url)
        listed = server.get("/v1/messages").json()
        assert sorted(each["channel"] for each in listed["data"]) == ["chat", "in_app"]


class Worker:
    def __init__(self, url: str, log: Path) -> None:
        self._url = url
        self._log = log
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tidings", "worker"],
                env=environment(**variables(self._url)),
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)


async def _rounds_of_killing(tmp_path: Path, url: str, sink: Sink, rounds: int) -> None:
    chance = random.Random(7)
    server = Server("--no-engine", log=tmp_path / "api", **variables(url)).wait_ready()
    workers = [Worker(url, tmp_path / f"worker{number}") for number in range(2)]
    accepted: set[str] = set()
    try:
        caller = Caller(server)
        caller.prepare(sink, INBOX, CHAT, {**INBOX, "name": "Last"})
        for _ in range(rounds):
            stop = time.monotonic() + chance.uniform(0.2, 1.0)
            while time.monotonic() < stop:
                accepted.add(caller.trigger(payload={"n": len(accepted)}))
            if chance.random() < 0.3:
                server.kill()
                server = Server("--no-engine", log=tmp_path / "api", **variables(url)).wait_ready()
                caller = Caller(server)
            else:
                victim = chance.choice(workers)
                victim.kill()
                victim.start()
        await until_finished(url, 120)
    finally:
        for worker in workers:
            worker.kill()
        server.kill()
    runs = await query(url, "SELECT transaction_id, count(*) FROM notifications GROUP BY 1")
    assert dict(runs) == dict.fromkeys(accepted, 1), "accepted is run, and run once"
    jobs = await query(url, "SELECT status, count(*) FROM jobs GROUP BY 1")
    assert dict(jobs) == {"completed": 3 * len(accepted)}
    messages = await query(url, "SELECT count(*), count(DISTINCT job_id) FROM messages")
    assert messages == [(3 * len(accepted), 3 * len(accepted))], "no message row is doubled"
    assert len(set(sink.bodies)) == len(accepted), "every message went out"


async def test_killing_processes_loses_nothing(tmp_path: Path, empty_url: str, sink: Sink) -> None:
    await _rounds_of_killing(tmp_path, empty_url, sink, rounds=10)


@pytest.mark.slow
async def test_killing_processes_loses_nothing_for_long(
    tmp_path: Path, empty_url: str, sink: Sink
) -> None:
    await _rounds_of_killing(tmp_path, empty_url, sink, rounds=200)


async def test_a_database_that_restarts_in_mid_run(tmp_path: Path, sink: Sink) -> None:
    database = EmbeddedPostgres(tmp_path / "database")
    url = database.start()
    with serving(log=tmp_path / "log", **variables(url)) as server:
        caller = Caller(server)
        wait = {"name": "Wait", "type": "delay", "controlValues": {"amount": 2, "unit": "seconds"}}
        caller.prepare(sink, wait, CHAT)
        for number in range(20):
            caller.trigger(payload={"n": number})
        database.stop()
        database.start()
        until(server.is_ready, 60)
        await until_finished(url)
        assert len(set(sink.bodies)) == 20
        caller.trigger(payload={"n": 99})
        until(lambda: len(set(sink.bodies)) == 21)
        assert server.stop() == 0
    database.stop()


@pytest.mark.parametrize("behaviour", ["hang", "garbage", "429", "503", "close"])
async def test_a_bad_provider_hurts_nobody_else(
    tmp_path: Path, empty_url: str, sink: Sink, behaviour: str
) -> None:
    with serving(log=tmp_path / "log", **variables(empty_url)) as server:
        caller = Caller(server)
        caller.prepare(sink, CHAT)
        caller.post(
            "/v2/workflows",
            {"name": "Calm", "workflowId": "calm", "active": True, "steps": [INBOX]},
        )
        sink.behaviour = behaviour
        for number in range(12):
            caller.trigger(payload={"n": number})
        until(lambda: len(sink.bodies) >= 12)
        calm = caller.trigger(name="calm", payload={"n": 1})

        async def delivered() -> bool:
            found = await query(
                empty_url, f"SELECT 1 FROM messages WHERE transaction_id = '{calm}'"
            )
            return bool(found)

        await until_async(delivered)
        assert server.is_ready()
        sink.behaviour = "ok"
        sink.released.set()
        assert "Traceback" not in server.said()
