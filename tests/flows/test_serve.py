"""The service as an operator starts, stops and kills it."""

import base64
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from tests.flows.serving import KEY, Server, environment, serving, tidings
from tests.waiting import until

ENCRYPTION_KEY = base64.b64encode(bytes(range(32))).decode()


def test_a_first_start_shows_a_key_and_a_line_that_works(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with serving("--data-dir", data, log=tmp_path / "log", TIDINGS_BOOTSTRAP_API_KEY="") as server:
        said = server.said()
        assert f"{server.base}/docs" in said
        key = re.search(r"tdg_\w{43}", said)
        assert key is not None
        line = re.search(r"^  (curl .*)$", said, re.M)
        assert line is not None
        answer = subprocess.run(line[1], shell=True, capture_output=True, text=True, check=True)
        assert '"name":"Development"' in answer.stdout
        assert server.get("/v1/environments", "wrong").status_code == 401
        assert server.stop() == 0
    with serving("--data-dir", data, log=tmp_path / "log2") as server:
        assert "tdg_" not in server.said()
        assert "tidings keys create --environment Development" in server.said()
        assert server.get("/v1/environments", key[0]).status_code == 200


def test_commands_work_beside_a_running_server(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with serving("--data-dir", data, log=tmp_path / "log") as server:
        made = tidings("keys", "create", "--environment", "production", "--data-dir", data)
        key = made.stdout.strip()
        assert re.fullmatch(r"tdg_\w{43}", key)
        assert server.get("/v1/environments", key).status_code == 200
        listed = tidings("keys", "list", "-e", "Production", "--data-dir", data).stdout
        assert f"...{key[-4:]}" in listed
        id = listed.splitlines()[1].split()[0]
        revoked = tidings("keys", "revoke", id, "-e", "Production", "--data-dir", data)
        assert revoked.returncode == 0
        until(lambda: server.get("/v1/environments", key).status_code == 401, 1)
        again = tidings("keys", "revoke", id, "-e", "Production", "--data-dir", data)
        assert again.returncode == 1
        assert "no live key" in again.stderr
        assert server.get("/v1/environments").status_code == 200


def test_rotating_the_encryption_key_beside_a_running_server(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving("--data-dir", str(data), log=tmp_path / "log") as server:
        before = (data / "encryption.key").read_text()
        done = tidings("keys", "rotate-encryption", "--data-dir", str(data))
        assert done.returncode == 0, done.stderr
        assert re.search(r"Encrypted [2-9]\d* values", done.stdout)
        after = (data / "encryption.key").read_text()
        assert before != after
        assert len(after.split()) == 1
        assert server.get("/v1/environments").status_code == 200
        assert server.stop() == 0
    with serving("--data-dir", str(data), log=tmp_path / "log") as server:
        assert server.get("/v1/environments").status_code == 200
    (data / "encryption.key").write_text(before)
    refused = tidings("serve", "--data-dir", str(data), "--port", "0")
    assert refused.returncode == 1
    assert "TIDINGS_ENCRYPTION_KEY" in refused.stderr


def test_two_servers_start_together_and_one_survives_the_other(
    tmp_path: Path, empty_url: str
) -> None:
    variables = {
        "TIDINGS_DATABASE_URL": empty_url,
        "TIDINGS_ENCRYPTION_KEY": ENCRYPTION_KEY,
        "TIDINGS_BOOTSTRAP_API_KEY": KEY,
    }
    first = Server(log=tmp_path / "first", **variables)
    second = Server(log=tmp_path / "second", **variables)
    try:
        first.wait_ready()
        second.wait_ready()
        for server in (first, second):
            assert server.get("/v1/environments").status_code == 200
            assert "Traceback" not in server.said()
        first.kill()
        assert second.get("/v1/environments").status_code == 200
        assert len(second.get("/v1/environments").json()) == 2
        assert second.stop() == 0
    finally:
        for server in (first, second):
            server.kill()


def test_a_killed_server_starts_again_on_its_data(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    server = Server("--data-dir", data, log=tmp_path / "log").wait_ready()
    server.kill()
    with serving("--data-dir", data, log=tmp_path / "log2") as again:
        assert again.get("/v1/environments").status_code == 200
        assert again.stop() == 0
    assert not (Path(data) / "postgres" / "postmaster.pid").exists()


def test_several_processes_on_one_port(tmp_path: Path) -> None:
    with serving(
        *("--data-dir", str(tmp_path / "data"), "--api-processes", "2", "--engine-processes", "1"),
        log=tmp_path / "log",
    ) as server:
        until(lambda: "is ready" in server.said())
        children = _children(server.process.pid)
        assert len(children) == 3
        assert server.get("/health/ready").json()["checks"]["engine"] == "ok"
        for _ in range(20):
            assert server.get("/v1/environments").status_code == 200
        figure = (
            'tidings_http_requests_total{method="GET",route="/v1/environments",status="200"} 20.0'
        )
        assert figure in server.get("/metrics").text
        os.kill(children[0], signal.SIGKILL)
        until(lambda: len(_children(server.process.pid)) == 3 and server.is_ready())
        assert server.stop() == 0
    assert _children(server.process.pid) == []


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [int(child) for child in listed if _is_ours(int(child))]


def _is_ours(pid: int) -> bool:
    try:
        return b"tidings" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return False


def test_requests_in_flight_are_answered_before_it_stops(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path / "data"), log=tmp_path / "log") as server:
        answers: list[int] = []
        stopping = threading.Event()

        def ask() -> None:
            with httpx.Client(headers={"Authorization": f"ApiKey {KEY}"}) as client:
                while not stopping.is_set():
                    try:
                        answers.append(client.get(f"{server.base}/v1/environments").status_code)
                    except httpx.TransportError:
                        return  # the listener is gone, or an idle connection was closed

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for thread in asking:
            thread.start()
        until(lambda: len(answers) > 50)
        assert server.stop() == 0
        stopping.set()
        for thread in asking:
            thread.join(10)
        assert set(answers) == {200}


def test_an_engine_can_run_apart(tmp_path: Path, empty_url: str) -> None:
    variables = {"TIDINGS_DATABASE_URL": empty_url, "TIDINGS_ENCRYPTION_KEY": ENCRYPTION_KEY}
    with serving("--no-engine", log=tmp_path / "log", **variables) as server:
        assert "tidings worker" in server.get("/health/ready").json()["checks"]["engine"]
        worker = subprocess.Popen(
            [sys.executable, "-m", "tidings", "worker"],
            env=environment(**variables),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == "Tidings worker is ready.\n"
        assert server.get("/health/ready").json()["checks"]["engine"] == "ok"
        worker.terminate()
        assert worker.wait(30) == 0


@pytest.mark.parametrize("command", ["serve", "worker", "migrate"])
def test_a_wrong_setting_stops_the_start_with_one_sentence(command: str) -> None:
    refused = tidings(command, TIDINGS_DIALECT="klingon")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "TIDINGS_DIALECT cannot be 'klingon'" in refused.stderr


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path / "data"), log=tmp_path / "log") as server:
        refused = tidings(
            "serve", "--port", str(server.port), "--data-dir", str(tmp_path / "other")
        )
        assert refused.returncode == 1
        assert f"Cannot listen on 127.0.0.1:{server.port}" in refused.stderr
        assert "--port" in refused.stderr
        assert not (tmp_path / "other").exists()


def test_no_secret_in_what_it_says(tmp_path: Path) -> None:
    with serving(
        *("--data-dir", str(tmp_path / "data")),
        log=tmp_path / "log",
        TIDINGS_LOG_LEVEL="debug",
        TIDINGS_ENCRYPTION_KEY=ENCRYPTION_KEY,
    ) as server:
        server.get("/v1/environments")
        server.get("/v1/environments?token=sesame-open", "wrong-key-canary")
        password = (tmp_path / "data" / "postgres.password").read_text().strip()
        server.stop()
        for secret in (KEY, ENCRYPTION_KEY, "wrong-key-canary", "sesame-open", password):
            assert secret not in server.said()
