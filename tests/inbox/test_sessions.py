import hashlib
import hmac
from typing import Any

import httpx
import msgspec
import pytest

from tests.conftest import caller_of
from tests.doors import open_doors
from tests.inbox.conftest import Visit
from tidings.actions import inbox_sessions as sessions
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.storage import connections
from tidings.storage.database import Database
from tidings.world import World

SESSION = "/v1/inbox/session"


def asked(application: str, **more: Any) -> dict[str, Any]:
    return {
        "applicationIdentifier": application,
        "subscriber": {"subscriberId": "ada", "firstName": "Ada", "timezone": "Europe/Paris"},
        **more,
    }


async def test_a_session_makes_the_subscriber_and_answers_what_the_bell_needs(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient, application: str
) -> None:
    answer = await anyone.post(SESSION, json=asked(application))
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert data.pop("token").count(".") == 2
    assert data == {
        "totalUnreadCount": 0,
        "unreadCount": {"total": 0, "severity": {"high": 0, "medium": 0, "low": 0, "none": 0}},
        "removeNovuBranding": True,
        "isDevelopmentMode": True,
        "maxSnoozeDurationHours": 2160,
        "applicationIdentifier": application,
    }
    known = (await client.get("/v2/subscribers/ada")).json()
    assert (known["firstName"], known["timezone"]) == ("Ada", "Europe/Paris")


async def test_a_session_updates_only_what_it_says(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient, application: str
) -> None:
    await client.post("/v2/subscribers", json={"subscriberId": "ada", "lastName": "Lovelace"})
    await anyone.post(SESSION, json=asked(application))
    known = (await client.get("/v2/subscribers/ada")).json()
    assert (known["firstName"], known["lastName"]) == ("Ada", "Lovelace")


async def test_older_clients_name_the_subscriber_at_the_top(
    anyone: httpx.AsyncClient, application: str
) -> None:
    body = {"applicationIdentifier": application, "subscriberId": "ada"}
    assert (await anyone.post(SESSION, json=body)).status_code == 201


async def test_an_unknown_time_zone_of_a_browser_stops_nobody(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient, application: str
) -> None:
    body = asked(application, subscriber={"subscriberId": "bob", "timezone": "Etc/Unknown"})
    assert (await anyone.post(SESSION, json=body)).status_code == 201
    assert "timezone" not in (await client.get("/v2/subscribers/bob")).json()


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"applicationIdentifier": "nobody"}, 400, "GET /v1/environments shows it"),
        ({"applicationIdentifier": "pk_keyless_x"}, 400, "no keyless mode"),
        ({"applicationIdentifier": ""}, 400, "no keyless mode"),
        ({"subscriber": None}, 422, "Validation Error"),
        ({"subscriber": {"subscriberId": ""}}, 422, "Validation Error"),
        ({"subscriberHash": "0" * 64}, 400, "does not fit"),
        ({"subscriberHash": "é"}, 400, "does not fit"),
    ],
)
async def test_what_cannot_be_opened_is_refused_with_the_remedy(
    anyone: httpx.AsyncClient, application: str, change: dict[str, Any], status: int, says: str
) -> None:
    answer = await anyone.post(SESSION, json={**asked(application), **change})
    assert answer.status_code == status
    assert says in answer.json()["message"]


async def test_without_an_in_app_integration_there_is_no_inbox(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient, application: str
) -> None:
    for each in (await client.get("/v1/integrations")).json():
        await client.delete(f"/v1/integrations/{each['_id']}")
    assert (await anyone.post(SESSION, json=asked(application))).status_code == 404


def proof(secret: str, subscriber: str) -> str:
    return hmac.new(secret.encode(), subscriber.encode(), hashlib.sha256).hexdigest()


async def test_outside_development_somebody_must_vouch_for_the_subscriber(
    parts: Parts, database: Database, scope: Scope, world: World, application: str
) -> None:
    strict = msgspec.structs.replace(
        parts, settings=msgspec.structs.replace(parts.settings, mode="production")
    )
    async with database.connection() as connection:
        secret = await sessions.inbox_secret(connection, scope, world)
    async with caller_of(open_doors(strict), key=None) as browser:

        async def status(**more: Any) -> int:
            return (await browser.post(SESSION, json=asked(application, **more))).status_code

        assert await status() == 400
        assert await status(subscriberHash=proof(secret, "bob")) == 400
        assert await status(subscriberHash=proof(secret, "ada")) == 201
        async with database.transaction() as tx:
            newer = await sessions.rotate_inbox_secret(tx, scope, world)
        assert await status(subscriberHash=proof(secret, "ada")) == 201
        assert await status(subscriberHash=proof(newer, "ada")) == 201
        async with database.transaction() as tx:
            await sessions.rotate_inbox_secret(tx, scope, world)
        assert await status(subscriberHash=proof(secret, "ada")) == 400


async def test_a_session_marks_the_inbox_as_connected(
    database: Database, scope: Scope, visit: Visit
) -> None:
    await visit("ada")
    async with database.connection() as connection:
        assert (await connections.of(connection, scope)).inbox_connected


async def test_browsers_on_any_site_may_call_with_the_headers_of_the_clients(
    anyone: httpx.AsyncClient,
) -> None:
    wanted = "authorization,content-type,novu-api-version,novu-client-version"
    answer = await anyone.options(
        SESSION,
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": wanted,
        },
    )
    assert answer.status_code == 204
    allowed = answer.headers["access-control-allow-headers"].lower()
    assert all(each in allowed for each in wanted.split(","))
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


async def test_a_wrong_token_is_answered_to_browsers_too(anyone: httpx.AsyncClient) -> None:
    answer = await anyone.get(
        "/v1/inbox/notifications",
        headers={"Origin": "https://shop.example", "Authorization": "Bearer a.b.c"},
    )
    assert answer.status_code == 401
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["www-authenticate"].startswith("Bearer")
