"""`tidings workflows`: pull, plan, apply."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from typer.testing import CliRunner, Result

from tests.cli.test_workflow_files import DEFINITIONS
from tidings.actions import workflows as actions
from tidings.cli.workflow_files import Content, read, write
from tidings.cli.workflows import register
from tidings.domain import differences
from tidings.domain.errors import InvalidError
from tidings.domain.layouts import Frame
from tidings.domain.scope import Scope
from tidings.domain.workflows import Definition, Step
from tidings.storage import workflows as stored
from tidings.storage.database import Database
from tidings.world import World

Run = Callable[..., Result]

MAIL = {"subject": "Hello", "body": "<p>Hi</p>", "editorType": "html", "layoutId": "main"}
LAYOUT = Frame(key="main", name="Main", body="<b>{{content}}</b>", is_default=True)
WELCOME = Definition(
    key="welcome",
    name="Welcome",
    active=True,
    steps=[Step(key="mail", name="Mail", type="email", controls=MAIL)],
)


@pytest.fixture
def run(url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command against the test's database."""
    app = typer.Typer()
    register(app)
    monkeypatch.setenv("TIDINGS_DATABASE_URL", url)
    monkeypatch.setenv("TIDINGS_MODE", "development")

    def command(*words: Any, environment: str = "Development") -> Result:
        line = ["workflows", *map(str, words), "-e", environment]
        return CliRunner().invoke(app, line, catch_exceptions=False)

    return command


def test_files_become_workflows_and_files_again(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "one", Content([LAYOUT], [WELCOME]))
    planned = run("plan", tmp_path / "one")
    assert planned.exit_code == 0, planned.output
    assert "+ layout main\n+ workflow welcome\nDevelopment: 2 added" in planned.output
    assert run("apply", tmp_path / "one").exit_code == 0
    again = run("apply", tmp_path / "one")
    assert "Development: 0 added, 0 changed, 2 unchanged." in again.output
    pulled = run("pull", tmp_path / "two")
    assert "Wrote 1 workflow and 1 layout" in pulled.output
    assert read(tmp_path / "two") == Content([LAYOUT], [WELCOME])


def test_a_plan_says_what_would_change_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    write(tmp_path, Content([LAYOUT], [WELCOME]))
    run("apply", tmp_path)
    path = tmp_path / "workflows" / "welcome" / "mail.body.html"
    path.write_text("<p>Hello</p>\n")
    planned = run("plan", tmp_path)
    assert '    steps.mail.controls.body: "<p>Hi</p>" -> "<p>Hello</p>"' in planned.output
    assert run("plan", tmp_path).output == planned.output
    assert "1 changed" in run("apply", tmp_path).output
    assert "0 changed" in run("plan", tmp_path).output


def test_what_is_only_in_the_environment_stays(run: Run, tmp_path: Path) -> None:
    write(tmp_path, Content([LAYOUT], [WELCOME]))
    run("apply", tmp_path)
    write(tmp_path, Content([], []))
    applied = run("apply", tmp_path)
    assert "workflow welcome is only in Development and stays" in applied.output


def test_issues_are_told_and_other_environments_untouched(run: Run, tmp_path: Path) -> None:
    faulty = Definition(key="w", name="W", steps=[Step(key="s", name="S", type="sms")])
    write(tmp_path, Content([], [faulty]))
    applied = run("apply", tmp_path, environment="Production")
    assert "! workflow w, step s, body: Body is required" in applied.output
    assert "0 workflows" in run("pull", tmp_path / "dev").output


def test_a_fault_applies_nothing(run: Run, tmp_path: Path) -> None:
    write(tmp_path, Content([LAYOUT], [Definition(key="w", name="W", tags=["t"] * 17)]))
    applied = run("apply", tmp_path)
    assert applied.exit_code == 1
    assert "Nothing was applied. In workflow 'w': tags" in applied.output
    assert "0 workflows and 0 layouts" in run("pull", tmp_path / "dev").output


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(definition=DEFINITIONS)
async def test_pulled_and_applied_is_identical(
    database: Database, scope: Scope, world: World, tmp_path: Path, definition: Definition
) -> None:
    async with database.transaction() as tx:
        try:
            first = await actions.put(tx, scope, world, definition, None)
        except InvalidError:
            return
        [present] = [each for each in await stored.all_of(tx, scope) if each.id == first.id]
        await asyncio.to_thread(write, tmp_path, Content([], [present.definition]))
        content = await asyncio.to_thread(read, tmp_path)
        [pulled] = content.workflows
        assert differences.between(present.definition, pulled) == []
        assert await actions.put(tx, scope, world, pulled, None) == present
        await stored.remove(tx, scope, first.id)
