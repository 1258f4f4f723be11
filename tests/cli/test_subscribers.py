"""`tidings subscribers import` and `export`."""

import asyncio
import base64
import csv
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.conftest import TEST_KEY, make_world
from tidings.actions import imports
from tidings.cli.main import build
from tidings.cli.records import fingerprint
from tidings.domain.scope import Scope
from tidings.storage import environments
from tidings.storage.database import Database
from tidings.storage.imports import Progress

app = build()

CSV = """\
subscriberId,firstName,email,data
ada,Ada,ada@example.com,"{""plan"": ""pro""}"
bob,"Bob
the builder",,
eve,Eve,not an address,
,Nobody,,
cyd,Cyd,,not json
ada,,,
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, url: str, tmp_path: Path) -> None:
    monkeypatch.setenv("TIDINGS_MODE", "development")
    monkeypatch.setenv("TIDINGS_DATABASE_URL", url)
    monkeypatch.setenv("TIDINGS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TIDINGS_ENCRYPTION_KEY", base64.b64encode(TEST_KEY).decode())
    monkeypatch.setenv("TIDINGS_LOG_LEVEL", "error")


def run(*arguments: str | Path) -> Result:
    words = ["subscribers", *map(str, arguments), "--environment", "Development"]
    return CliRunner().invoke(app, words)


def exported(path: Path) -> list[dict[str, Any]]:
    assert run("export", "--output", path).exit_code == 0
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_csv_file(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(CSV)
    result = run("import", file)
    assert result.exit_code == 1
    assert "6 records: 3 written (2 of them new)." in result.output
    with (tmp_path / "people.csv.errors.csv").open() as errors:
        rows = list(csv.reader(errors))
    assert rows[0] == ["line", "subscriberId", "problem"]
    assert [(row[0], row[1]) for row in rows[1:]] == [("5", "eve"), ("6", ""), ("7", "cyd")]
    assert exported(tmp_path / "out.jsonl") == [
        {
            "subscriberId": "ada",
            "firstName": "Ada",
            "email": "ada@example.com",
            "data": {"plan": "pro"},
        },
        {"subscriberId": "bob", "firstName": "Bob\nthe builder"},
    ]


def test_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text('{"subscriberId": "ada", "_id": "ignored"}\n\n{"subscriberId": 1}\nnonsense\n')
    result = run("import", file, "--errors", tmp_path / "wrong.csv")
    assert "3 records: 1 written (1 of them new)." in result.output
    assert len((tmp_path / "wrong.csv").read_text().splitlines()) == 3


def test_a_dry_run_checks_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(CSV)
    result = run("import", file, "--dry-run")
    assert result.exit_code == 1
    assert "6 records: 3 would be written." in result.output
    assert exported(tmp_path / "out.jsonl") == []


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_what_is_written_out_can_be_taken_in(tmp_path: Path, format: str) -> None:
    source = tmp_path / "people.jsonl"
    source.write_text(
        '{"subscriberId":"ada","lastName":"Løvelace, \\"A\\"","phone":"+1","locale":"en_GB",'
        '"timezone":"Europe/London","avatar":"a.png","data":{"a":[1,"x"]}}\n'
    )
    assert run("import", source).exit_code == 0
    assert not (tmp_path / "people.jsonl.errors.csv").exists()
    out = tmp_path / f"out.{format}"
    run("export", "--output", out)
    result = run("import", out)
    assert "1 records: 1 written (0 of them new)." in result.output
    assert exported(tmp_path / "again.jsonl") == exported(tmp_path / "once.jsonl")
    assert run("export").stdout.count("ada") == 1


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("people.csv", "subscriberId,e-mail\n", "e-mail"),
        ("people.csv", "email\n", "subscriberId"),
        ("people.csv", "", "subscriberId"),
        ("people.txt", "x", ".csv"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str, word: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    result = run("import", file)
    assert result.exit_code == 1
    assert word in result.output
    assert "Traceback" not in result.output


def test_bytes_that_are_not_text_are_refused_alone(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(b"subscriberId,firstName\nada,\xff\xfe\nbob,Bob\n")
    assert "2 records: 1 written (1 of them new)." in run("import", file).output
    assert "UTF-8" in (tmp_path / "people.csv.errors.csv").read_text()


def test_an_interrupted_import_goes_on_where_it_stopped(tmp_path: Path, url: str) -> None:
    file = tmp_path / "people.csv"
    file.write_text("subscriberId\n" + "".join(f"u{n}\n" for n in range(10)))
    asyncio.run(_stop_after(url, fingerprint(file), 7))
    result = run("import", file, "--resume")
    assert "10 records: 10 written (3 of them new)." in result.output
    out = exported(tmp_path / "out.jsonl")
    assert [each["subscriberId"] for each in out] == ["u7", "u8", "u9"]
    result = run("import", file, "--resume")
    assert "(7 of them new)" in result.output


async def _stop_after(url: str, mark: str, records: int) -> None:
    """Leave things as an import leaves them that was killed after so many records."""
    database = await Database.open(url, 2)
    async with database.transaction() as tx:
        development = await environments.named(tx, "Development")
        scope = Scope(development.organization_id, development.id)
        await imports.load(tx, scope, make_world(), mark, [], Progress(records, 0))
    await database.close()


def test_an_unknown_environment(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("subscriberId\nada\n")
    words = ["subscribers", "import", str(file), "--environment", "Moon"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "Moon" in result.output


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for count in (20_000, 300_000):
        file = tmp_path / f"{count}.csv"
        with file.open("w") as out:
            out.write("subscriberId,email\n")
            out.writelines(f"user-{n},user-{n}@example.com\n" for n in range(count))
        words = ["subscribers", "import", str(file), "--environment", "Development"]
        subprocess.run([sys.executable, "-m", "tidings", *words], check=True)
        peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    assert peaks[1] < peaks[0] * 1.2
