"""`tidings apply`, run as a person runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOML = """
[[environments]]
name = "Staging"

[[integrations]]
environment = "Staging"
identifier = "smtp"
provider = "nodemailer"
[integrations.credentials]
host = "smtp.example.com"
port = 587
from = "news@example.com"
password = "not-for-the-terminal"
"""
YAML = """
integrations:
  - environment: Staging
    identifier: smtp
    provider: nodemailer
    credentials: {host: smtp.example.com, port: 2525, from: news@example.com}
"""


def tidings(url: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tidings", "apply", *arguments],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "TIDINGS_DATABASE_URL": url,
            "TIDINGS_ENCRYPTION_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_applies_a_file_and_shows_the_difference(url: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "b.yaml").write_text(YAML)
    tried = tidings(url, tmp_path, "a.toml", "--dry-run")
    assert "2 declared, 2 would change." in tried.stdout, tried.stderr
    done = tidings(url, tmp_path, "a.toml")
    assert "create     integrations  Staging/smtp" in done.stdout
    again = tidings(url, tmp_path, "a.toml")
    assert "2 declared, 0 changed." in again.stdout
    changed = tidings(url, tmp_path, "b.yaml", "--dry-run")
    assert 'credentials.port: "587" -> "2525"' in changed.stdout
    for run in (tried, done, again, changed):
        assert run.returncode == 0
        assert "not-for-the-terminal" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing.toml", None, "There is no file"),
        ("a.json", "{}", "must end in .toml"),
        ("a.toml", "= 1", "cannot be read"),
        ("a.yaml", "- 1", "must hold a table"),
        ("a.yaml", "a: [", "cannot be read"),
    ],
)
def test_says_what_is_wrong_with_the_file(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    done = tidings("postgresql://nowhere/x", tmp_path, name)
    assert done.returncode == 2
    assert message in done.stderr
