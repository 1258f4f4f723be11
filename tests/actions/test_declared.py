"""Declarations: made once, left alone afterwards, and changed where they differ."""

from typing import Any

import pytest

from tidings.actions import declared
from tidings.domain.errors import ConflictError, NotFoundError, RefusedError
from tidings.domain.scope import Scope
from tidings.storage import environments, integrations
from tidings.storage.database import Database
from tidings.world import World

SECRET = "a-secret-signing-key"


def file(**changes: Any) -> dict[str, Any]:
    webhook = {
        "environment": "Staging",
        "identifier": "webhook",
        "provider": "email-webhook",
        "credentials": {
            "webhookUrl": "https://example.com",
            "secretKey": SECRET,
            "from": "news@example.com",
        },
    }
    smtp = {
        "environment": "Development",
        "identifier": "smtp",
        "provider": "nodemailer",
        "name": "Mail",
        "primary": True,
        "credentials": {"host": "smtp.example.com", "port": 587, "from": "news@example.com"},
    }
    return {
        "environments": [{"name": "Staging", "color": "#1a73e8"}],
        "integrations": [{**webhook, **changes}, smtp],
    }


async def apply(database: Database, world: World, what: dict[str, Any]) -> dict[str, Any]:
    async with database.transaction() as tx:
        return {one.name: one for one in await declared.apply(tx, world, what)}


async def test_makes_what_is_declared_once(database: Database, world: World, scope: Scope) -> None:
    first = await apply(database, world, file())
    assert {name: one.action for name, one in first.items()} == {
        "Staging": "create",
        "Staging/webhook": "create",
        "Development/smtp": "create",
    }
    second = await apply(database, world, file())
    assert {one.action for one in second.values()} == {"unchanged"}
    async with database.connection() as connection:
        smtp = await integrations.get(connection, scope, world.sealer, "smtp")
        staging = await environments.named(connection, "Staging")
    assert (smtp.primary, smtp.active, smtp.credentials["port"]) == (True, True, "587")
    assert staging.color == "#1a73e8"


async def test_changes_what_differs_and_shows_no_secret(database: Database, world: World) -> None:
    await apply(database, world, file())
    credentials = {
        "webhookUrl": "https://example.com/new",
        "secretKey": "another-secret-key",
        "from": "news@example.com",
    }
    done = await apply(database, world, file(credentials=credentials, active=False))
    one = done["Staging/webhook"]
    assert one.action == "update"
    assert one.changes == (
        "active: true -> false",
        "credentials.secretKey: ••••••-key -> ••••••-key",
        'credentials.webhookUrl: "https://example.com" -> "https://example.com/new"',
    )
    again = await apply(database, world, file(credentials=credentials, active=False))
    assert again["Staging/webhook"].action == "unchanged"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"provider": "pigeon"}, RefusedError, "integrations, entry 1: providerId"),
        ({"colour": "red"}, RefusedError, "unknown field `colour`"),
        ({"credentials": {"apiURL": "x"}}, RefusedError, "is not a credential"),
        ({"credentials": {}}, RefusedError, "Secret key is required"),
        ({"environment": "Nowhere"}, NotFoundError, "there are Development, Production, Staging"),
        ({"environment": "Development", "identifier": "smtp"}, RefusedError, "cannot be changed"),
    ],
)
async def test_says_which_entry_is_wrong(
    database: Database, world: World, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    if change.get("identifier") == "smtp":
        await apply(database, world, {"integrations": file()["integrations"][1:]})
    with pytest.raises(error, match=message):
        await apply(database, world, file(**change))


async def test_an_identifier_used_elsewhere_is_a_conflict(database: Database, world: World) -> None:
    await apply(database, world, file())
    with pytest.raises(ConflictError):
        await apply(database, world, file(environment="Production"))


async def test_unknown_kinds_are_named(database: Database, world: World) -> None:
    with pytest.raises(RefusedError, match="there are environments, integrations"):
        await apply(database, world, {"integration": []})


async def test_topics_are_made_and_renamed(database: Database, world: World) -> None:
    news = {"environment": "Development", "key": "news", "name": "News"}
    for action, entry in (
        ("create", news),
        ("unchanged", news),
        ("update", {**news, "name": "Daily news"}),
        ("unchanged", {"environment": "Development", "key": "news"}),
    ):
        done = await apply(database, world, {"topics": [entry]})
        assert done["Development/news"].action == action
    with pytest.raises(RefusedError, match="topics, entry 1: key"):
        await apply(database, world, {"topics": [{**news, "key": "no spaces"}]})
