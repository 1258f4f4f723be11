"""`tidings explain` and `tidings replay` in the shell."""

import asyncio

import pytest

from tests.conftest import make_world
from tests.flows.serving import tidings
from tests.records import Records
from tidings.domain.environments import DEVELOPMENT
from tidings.domain.scope import Scope
from tidings.storage import environments
from tidings.storage.database import Database


@pytest.fixture
def failed(url: str) -> str:
    """A notification whose e-mail failed; its transaction is `order-7`."""

    async def make() -> str:
        database = await Database.open(url)
        async with database.connection() as connection:
            found = await environments.named(connection, DEVELOPMENT)
        records = Records(database, Scope(found.organization_id, found.id), make_world())
        workflow = await records.workflow()
        person = await records.subscriber()
        id = await records.notification(workflow, person, "order-7")
        await records.job(id, 0, workflow.steps[0], "completed", provider_id="svc")
        why = records.detail("Unexpected provider error", "Failed", provider_id="sendgrid")
        await records.job(id, 1, workflow.steps[1], "failed", details=[why])
        await database.close()
        return id

    return asyncio.run(make())


def run(url: str, *words: str) -> str:
    done = tidings(*words, TIDINGS_DATABASE_URL=url, TIDINGS_MODE="development")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_explain_tells_why(url: str, failed: str) -> None:
    said = run(url, "explain", "order-7")
    assert f"{failed}  welcome for ada: sent on in_app; failed on email." in said
    assert "email step 'mail' failed: Unexpected provider error." in said
    assert "[sendgrid]" in said
    assert run(url, "explain", "order-7", "--subscriber", "ada") == said


def test_an_unknown_transaction(url: str) -> None:
    done = tidings("explain", "nope", TIDINGS_DATABASE_URL=url, TIDINGS_MODE="development")
    assert done.returncode == 1
    assert "'nope'" in done.stderr


@pytest.mark.parametrize("words", [["order-7"], ["--since", "1h"], ["--since", "2020-01-01"]])
def test_replay_names_what_is_tried_again(url: str, failed: str, words: list[str]) -> None:
    said = run(url, "replay", *words)
    assert said == f"{failed}  email\n1 failed steps will be tried again.\n"
    assert run(url, "replay", *words) == "0 failed steps will be tried again.\n"


@pytest.mark.parametrize("words", [[], ["order-7", "--since", "1h"], ["--since", "lately"]])
def test_replay_needs_to_know_what(url: str, words: list[str]) -> None:
    done = tidings("replay", *words, TIDINGS_DATABASE_URL=url, TIDINGS_MODE="development")
    assert done.returncode == 2
