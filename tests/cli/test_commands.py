import base64
import re
from pathlib import Path

import pytest

from tests.flows.serving import free_port, serving, tidings
from tidings import __version__

ENCRYPTION_KEY = base64.b64encode(bytes(32)).decode()


def test_the_version() -> None:
    assert tidings("--version").stdout == f"tidings {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["serve", "worker", "migrate", "keys", "doctor"]),
        (
            ["serve", "--help"],
            ["--host", "--port", "--data-dir", "--database-url", "--api-processes",
             "--engine-processes", "--no-engine"],
        ),
        (["worker", "--help"], ["--data-dir", "--database-url"]),
        (["migrate", "--help"], ["--data-dir", "--database-url"]),
        (["doctor", "--help"], ["--data-dir", "--database-url"]),
        (["keys", "--help"], ["create", "list", "revoke", "rotate-encryption"]),
        (["keys", "create", "--help"], ["--environment", "--data-dir", "--database-url"]),
        (["keys", "list", "--help"], ["--environment", "--data-dir", "--database-url"]),
        (["keys", "revoke", "--help"], ["--environment", "--data-dir", "--database-url"]),
    ],
)  # fmt: skip
def test_the_help_names_what_there_is(arguments: list[str], words: list[str]) -> None:
    said = tidings(*arguments)
    for word in words:
        assert word in said.stdout + said.stderr
    assert "ready-fd" not in said.stdout
    assert "listen-fd" not in said.stdout


def test_migrate_makes_a_database_in_which_keys_can_be_made(tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path / "data")]
    first = tidings("migrate", *data)
    assert first.returncode == 0, first.stderr
    assert "up to date" in tidings("migrate", *data).stdout
    listed = tidings("keys", "list", "--environment", "Development", *data)
    assert "Development has no key yet" in listed.stdout
    made = tidings("keys", "create", "--environment", "Development", *data)
    assert re.fullmatch(r"tdg_\w{43}\n", made.stdout)
    unknown = tidings("keys", "create", "--environment", "Staging", *data)
    assert unknown.returncode == 1
    assert "Development, Production" in unknown.stderr


def test_the_doctor_finds_a_healthy_installation_healthy(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    variables = {"TIDINGS_PORT": str(free_port())}
    new = tidings("doctor", "--data-dir", data, **variables)
    assert new.returncode == 0, new.stdout
    assert "`tidings serve` makes it" in new.stdout
    assert not Path(data).exists(), "the doctor changes nothing"
    tidings("migrate", "--data-dir", data)
    used = tidings("doctor", "--data-dir", data, **variables)
    assert used.returncode == 0, used.stdout
    for subject in ("settings", "database", "migrations", "clock", "encryption key", "port",
                    "outbound guard", "disk"):  # fmt: skip
        assert re.search(rf"^ok +{subject}", used.stdout, re.M), used.stdout


@pytest.mark.parametrize(
    ("variables", "finding"),
    [
        ({"TIDINGS_PORT": "high"}, r"problem +settings +TIDINGS_PORT cannot be"),
        (
            {
                "TIDINGS_DATABASE_URL": "postgresql://u:hush@127.0.0.1:1/none",
                "TIDINGS_ENCRYPTION_KEY": ENCRYPTION_KEY,
            },
            r"problem +database +.*Check TIDINGS_DATABASE_URL",
        ),
        ({"TIDINGS_HOST": "192.0.2.1"}, r"problem +port +192\.0\.2\.1"),
    ],
)
def test_the_doctor_names_the_problem_and_its_remedy(
    tmp_path: Path, variables: dict[str, str], finding: str
) -> None:
    said = tidings("doctor", "--data-dir", str(tmp_path / "data"), **variables)
    assert said.returncode == 1
    assert re.search(finding, said.stdout)
    assert "hush" not in said.stdout + said.stderr


def test_the_doctor_warns(tmp_path: Path) -> None:
    said = tidings(
        *("doctor", "--data-dir", str(tmp_path / "data")),
        TIDINGS_WHAT="x",
        TIDINGS_HOST="0.0.0.0",
        TIDINGS_PORT=str(free_port()),
        TIDINGS_OUTBOUND_ALLOW="0.0.0.0/0",
    )
    assert said.returncode == 0, said.stdout
    for warning in ("TIDINGS_WHAT", "TIDINGS_MODE=production", "0.0.0.0/0"):
        assert warning in said.stdout


def test_the_doctor_tells_a_wrong_encryption_key(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    tidings("migrate", "--data-dir", data)
    said = tidings("doctor", "--data-dir", data, TIDINGS_ENCRYPTION_KEY=ENCRYPTION_KEY)
    assert said.returncode == 1
    assert re.search(r"problem +encryption key", said.stdout)


def test_the_doctor_beside_a_running_server(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with serving("--data-dir", data, log=tmp_path / "log") as server:
        said = tidings("doctor", "--data-dir", data, TIDINGS_PORT=str(server.port))
        assert said.returncode == 0, said.stdout
        assert "fine if by Tidings itself" in said.stdout
        assert server.get("/v1/environments").status_code == 200


def test_an_unreachable_server_is_one_sentence() -> None:
    said = tidings(
        "migrate",
        TIDINGS_DATABASE_URL="postgresql://u:hush@127.0.0.1:1/none",
        TIDINGS_ENCRYPTION_KEY=ENCRYPTION_KEY,
    )
    assert said.returncode == 1
    assert "The database cannot be reached" in said.stderr
    assert "Traceback" not in said.stderr
    assert "hush" not in said.stderr
