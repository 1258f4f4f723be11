"""The embedded server: private, shared by its users, and alive for as long as it has some."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from tests.waiting import until
from tidings.storage.embedded import SERVER_UID, EmbeddedPostgres, EmbeddedPostgresError

USER = """
import sys, time
from pathlib import Path
from tidings.storage.embedded import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
server.start()
print("started", flush=True)
sys.stdin.read()
server.stop()
"""


class Process:
    """Another process that uses the same data directory."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"started\n"

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(30) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


async def _ask(url: str, question: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


def ask(server: EmbeddedPostgres, question: str = "SELECT 1") -> object:
    return asyncio.run(_ask(server.url(), question))


def postmaster(data: Path) -> int | None:
    try:
        return int((data / "postgres" / "postmaster.pid").read_text().split()[0])
    except FileNotFoundError:
        return None


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    data = tmp_path / "data"
    yield data
    if (pid := postmaster(data)) is not None:
        os.kill(pid, signal.SIGQUIT)


def test_it_starts_answers_and_leaves_nothing_running(data: Path) -> None:
    server = EmbeddedPostgres(data)
    server.start()
    assert str(ask(server, "SHOW server_version")).startswith("18.")
    server.stop()
    assert postmaster(data) is None


def test_it_stops_with_its_last_user(data: Path) -> None:
    first, second = Process(data), Process(data)
    pid = postmaster(data)
    first.end()
    assert postmaster(data) == pid
    assert ask(EmbeddedPostgres(data)) == 1
    second.end()
    assert postmaster(data) is None


def test_a_killed_user_costs_nothing(data: Path) -> None:
    victim = Process(data)
    pid = postmaster(data)
    victim.kill()
    server = EmbeddedPostgres(data)
    server.start()
    assert postmaster(data) == pid, "the running server is used again"
    assert ask(server) == 1
    server.stop()
    assert postmaster(data) is None


def test_a_killed_server_recovers_at_the_next_start(data: Path) -> None:
    user = Process(data)
    asyncio.run(_make_table(EmbeddedPostgres(data).url()))
    pid = postmaster(data)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    user.kill()
    until(lambda: not Path(f"/proc/{pid}").exists())
    server = EmbeddedPostgres(data)
    server.start()
    assert ask(server, "SELECT count(*) FROM kept") == 100
    server.stop()


async def _make_table(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 100)")
    await connection.close()


def test_several_that_start_at_once_share_one_server(data: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", USER, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
    assert ask(EmbeddedPostgres(data)) == 1
    for process in processes:
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert postmaster(data) is None


def test_nobody_else_gets_in(data: Path) -> None:
    server = EmbeddedPostgres(data)
    server.start()
    try:
        for path in (data, data / "postgres", server.socket_dir()):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        for name in ("postgres.password", "postgres.log"):
            assert stat.S_IMODE((data / name).stat().st_mode) == 0o600
        password = (data / "postgres.password").read_text().strip()
        with pytest.raises(asyncpg.InvalidPasswordError):
            asyncio.run(_ask(server.url().replace(password, "wrong"), "SELECT 1"))
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
            asyncio.run(_ask(server.url().replace("//tidings:", "//postgres:"), "SELECT 1"))
        assert ask(server, "SHOW listen_addresses") == ""
        assert ask(server, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    finally:
        server.stop()


def test_no_directory_above_is_opened(tmp_path: Path) -> None:
    """As root the server runs under an id of its own, below a directory that is closed to it."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    server = EmbeddedPostgres(closed / "below" / "data")
    server.start()
    try:
        assert ask(server) == 1
        pid = postmaster(closed / "below" / "data")
        owner = os.stat(f"/proc/{pid}").st_uid
        assert owner == (SERVER_UID if os.getuid() == 0 else os.getuid())
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    finally:
        server.stop()


def test_a_long_path_gets_its_socket_elsewhere(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / ("long" * 40) / "data")
    server.start()
    try:
        assert ask(server) == 1
    finally:
        server.stop()


def test_data_of_another_major_version_is_refused(data: Path) -> None:
    server = EmbeddedPostgres(data)
    server.start()
    server.stop()
    (data / "postgres" / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedPostgresError, match="made by PostgreSQL 16"):
        EmbeddedPostgres(data).start()


def test_a_server_that_cannot_start_says_why(data: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="no_such_setting"):
        EmbeddedPostgres(data, {"no_such_setting": "1"}).start()
