"""Real `tidings` processes for tests, on free ports, gone when the test is over."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import until

KEY = "bootstrap-key-for-tests-0123456789"


def tidings(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "tidings", *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def environment(**variables: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TIDINGS_")}
    return {**ours, **variables}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    def __init__(self, *arguments: str, log: Path, **variables: str) -> None:
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tidings", "serve", "--port", str(self.port), *arguments],
                env=environment(**{"TIDINGS_BOOTSTRAP_API_KEY": KEY, **variables}),
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def wait_ready(self) -> "Server":
        until(self.is_ready, 60)
        return self

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.said()
        try:
            return httpx.get(f"{self.base}/health/ready", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    def get(self, path: str, key: str = KEY) -> httpx.Response:
        headers = {"Authorization": f"ApiKey {key}"}
        return httpx.get(self.base + path, headers=headers, timeout=10)

    def post(self, path: str, body: Any, key: str = KEY) -> Any:
        headers = {"Authorization": f"ApiKey {key}"}
        answer = httpx.post(self.base + path, json=body, headers=headers, timeout=30)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def said(self) -> str:
        return self.log.read_text()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


@contextmanager
def serving(*arguments: str, log: Path, **variables: str) -> Iterator[Server]:
    server = Server(*arguments, log=log, **variables)
    try:
        yield server.wait_ready()
    finally:
        if server.process.poll() is None:
            server.process.terminate()
            try:
                server.process.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
