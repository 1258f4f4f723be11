"""/v1/integrations: operations 6 and 7 and their siblings."""

import asyncio
from typing import Any

import httpx
import pytest

from tidings.domain.scope import Scope
from tidings.storage.database import Database
from tidings.storage.secrets import Sealer

SMTP = {"host": "smtp.example.com", "port": "587", "from": "news@example.com"}
WEBHOOK = {
    "webhookUrl": "https://example.com/mail",
    "secretKey": "a-very-secret-signing-key",
    "from": "news@example.com",
}
OTHER = {"Authorization": "ApiKey test-key-of-the-production-environment"}


async def make(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    body = {"providerId": "nodemailer", "channel": "email", "credentials": SMTP, "active": True}
    answer = await client.post("/v1/integrations", json={**body, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def condition(value: str = "pro", field: str = "plan") -> list[dict[str, Any]]:
    part = {"field": field, "value": value, "operator": "EQUAL", "on": "payload"}
    return [{"isNegated": False, "type": "GROUP", "value": "AND", "children": [part]}]


async def test_creates_with_a_made_name_and_identifier(
    client: httpx.AsyncClient, scope: Scope
) -> None:
    made = await make(client)
    assert made["name"] == "Custom SMTP"
    assert made["identifier"].startswith("custom-smtp-")
    assert made["_environmentId"] == scope.environment_id
    assert made["_organizationId"] == scope.organization_id
    assert made["credentials"] == SMTP
    assert made["configurations"] == {}
    assert made["conditions"] == []
    assert made["deleted"] is False
    assert "deletedAt" not in made


async def test_every_environment_begins_with_an_active_in_app_integration(
    client: httpx.AsyncClient,
) -> None:
    [found] = (await client.get("/v1/integrations")).json()
    assert (found["providerId"], found["channel"], found["active"]) == ("svc", "in_app", True)
    [other] = (await client.get("/v1/integrations", headers=OTHER)).json()
    assert other["_id"] != found["_id"]


async def test_the_first_active_email_becomes_primary_and_later_ones_do_not(
    client: httpx.AsyncClient,
) -> None:
    inactive = await make(client, active=False)
    conditional = await make(client, conditions=condition())
    first = await make(client)
    second = await make(client)
    assert [one["primary"] for one in (inactive, conditional, first, second)] == [
        False,
        False,
        True,
        False,
    ]


async def test_set_primary_takes_the_place_switches_on_and_drops_conditions(
    client: httpx.AsyncClient,
) -> None:
    first = await make(client)
    second = await make(client, active=False, conditions=condition())
    answer = await client.post(f"/v1/integrations/{second['_id']}/set-primary")
    assert answer.status_code == 200
    assert answer.json()["primary"] is True
    assert answer.json()["active"] is True
    assert answer.json()["conditions"] == []
    again = await client.post(f"/v1/integrations/{second['_id']}/set-primary")
    assert again.json() == answer.json()
    listed = {one["_id"]: one for one in (await client.get("/v1/integrations")).json()}
    assert listed[first["_id"]]["primary"] is False
    assert listed[first["_id"]]["active"] is True


async def test_set_primary_by_identifier(client: httpx.AsyncClient) -> None:
    await make(client)
    await make(client, identifier="backup")
    answer = await client.post("/v1/integrations/backup/set-primary")
    assert answer.json()["primary"] is True


@pytest.mark.parametrize(
    ("provider_id", "channel", "credentials"),
    [
        ("chat-webhook", "chat", {}),
        ("push-webhook", "push", {"webhookUrl": "https://a.example", "secretKey": "k"}),
    ],
)
async def test_set_primary_refuses_other_channels(
    client: httpx.AsyncClient, provider_id: str, channel: str, credentials: dict[str, str]
) -> None:
    made = await make(client, providerId=provider_id, channel=channel, credentials=credentials)
    answer = await client.post(f"/v1/integrations/{made['_id']}/set-primary")
    assert answer.status_code == 400
    assert f"channel {channel} does not support a primary" in answer.json()["message"]


async def test_set_primary_refuses_an_integration_that_could_not_send(
    client: httpx.AsyncClient,
) -> None:
    made = await make(client, active=False, credentials={"host": "smtp.example.com"})
    answer = await client.post(f"/v1/integrations/{made['_id']}/set-primary")
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"credentials.port", "credentials.from"}


@pytest.mark.parametrize("id", ["0123456789abcdef01234567", "nobody", "%20", "a%00b"])
async def test_unknown_integrations_are_not_found(client: httpx.AsyncClient, id: str) -> None:
    assert (await client.post(f"/v1/integrations/{id}/set-primary")).status_code == 404
    assert (await client.delete(f"/v1/integrations/{id}")).status_code == 404
    assert (await client.put(f"/v1/integrations/{id}", json={"name": "x"})).status_code == 404
    assert (await client.post(f"/v1/integrations/{id}/test", json={})).status_code == 404


async def test_another_environment_sees_nothing(client: httpx.AsyncClient) -> None:
    made = await make(client)
    path = f"/v1/integrations/{made['_id']}"
    primary = await client.post(f"{path}/set-primary", headers=OTHER)
    deleted = await client.delete(path, headers=OTHER)
    changed = await client.put(path, json={"name": "mine"}, headers=OTHER)
    tested = await client.post(f"{path}/test", json={}, headers=OTHER)
    assert [a.status_code for a in (primary, deleted, changed, tested)] == [404] * 4
    listed = (await client.get("/v1/integrations", headers=OTHER)).json()
    assert made["_id"] not in {one["_id"] for one in listed}
    kept = (await client.get("/v1/integrations/active")).json()
    assert made["name"] in {one["name"] for one in kept}


async def test_a_key_cannot_write_into_another_environment(
    client: httpx.AsyncClient, other_scope: Scope
) -> None:
    body = {
        "providerId": "nodemailer",
        "channel": "email",
        "_environmentId": other_scope.environment_id,
    }
    assert (await client.post("/v1/integrations", json=body)).status_code == 403


async def test_concurrent_set_primary_leaves_exactly_one(
    client: httpx.AsyncClient, database: Database
) -> None:
    made = [await make(client) for _ in range(6)]
    answers = await asyncio.gather(
        *(
            client.post(f"/v1/integrations/{one['_id']}/set-primary")
            for one in made
            for _ in range(3)
        )
    )
    assert {answer.status_code for answer in answers} == {200}
    async with database.connection() as connection:
        primaries = await connection.fetchval(
            "SELECT count(*) FROM integrations WHERE is_primary AND deleted_at IS NULL"
        )
    assert primaries == 1


async def test_concurrent_creation_leaves_exactly_one_primary(client: httpx.AsyncClient) -> None:
    made = await asyncio.gather(*(make(client) for _ in range(6)))
    assert sum(one["primary"] for one in made) == 1


async def test_delete_answers_what_remains_and_promotes_nobody(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    first, second = await make(client), await make(client)
    answer = await client.delete(f"/v1/integrations/{first['_id']}")
    assert answer.status_code == 200
    left = {one["_id"]: one for one in answer.json()}
    assert first["_id"] not in left
    assert left[second["_id"]]["primary"] is False
    assert all(one["deleted"] is False for one in left.values())
    async with database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT deleted_at, deleted_by FROM integrations WHERE id = $1", first["_id"]
        )
        key_id = await connection.fetchval(
            "SELECT id FROM api_keys WHERE environment_id = $1", scope.environment_id
        )
    assert row is not None
    assert row["deleted_at"] is not None
    assert row["deleted_by"] == key_id
    assert (await client.delete(f"/v1/integrations/{first['_id']}")).status_code == 404


async def test_an_identifier_is_free_again_after_deletion(client: httpx.AsyncClient) -> None:
    made = await make(client, identifier="mail")
    await client.delete(f"/v1/integrations/{made['_id']}")
    await make(client, identifier="mail")


async def test_a_used_identifier_is_a_conflict(client: httpx.AsyncClient) -> None:
    await make(client, identifier="mail")
    body = {"providerId": "nodemailer", "channel": "email", "identifier": "mail"}
    answer = await client.post("/v1/integrations", json=body)
    assert answer.status_code == 409
    assert answer.json()["identifier"] == "mail"
    other = await make(client)
    changed = await client.put(f"/v1/integrations/{other['_id']}", json={"identifier": "mail"})
    assert changed.status_code == 409


async def test_update_changes_what_is_given(client: httpx.AsyncClient) -> None:
    made = await make(client)
    answer = await client.put(f"/v1/integrations/{made['_id']}", json={"name": "Newsletter"})
    assert answer.status_code == 200
    assert answer.json()["name"] == "Newsletter"
    assert answer.json()["primary"] is True
    assert answer.json()["credentials"] == SMTP


async def test_update_with_nothing_is_refused(client: httpx.AsyncClient) -> None:
    made = await make(client)
    assert (await client.put(f"/v1/integrations/{made['_id']}", json={})).status_code == 400


@pytest.mark.parametrize("change", [{"active": False}, {"conditions": condition()}])
async def test_a_primary_ends_by_deactivation_or_conditions(
    client: httpx.AsyncClient, change: dict[str, Any]
) -> None:
    made = await make(client)
    answer = await client.put(f"/v1/integrations/{made['_id']}", json=change)
    assert answer.json()["primary"] is False
    assert (await make(client))["primary"] is True


async def test_switching_the_only_one_on_makes_it_primary(client: httpx.AsyncClient) -> None:
    made = await make(client, active=False)
    answer = await client.put(f"/v1/integrations/{made['_id']}", json={"active": True})
    assert answer.json()["primary"] is True


async def test_secrets_are_masked_and_a_mask_means_unchanged(
    client: httpx.AsyncClient, database: Database, world: Any, scope: Scope
) -> None:
    made = await make(client, providerId="email-webhook", credentials=WEBHOOK)
    assert made["credentials"]["secretKey"] == "••••••-key"
    assert made["credentials"]["webhookUrl"] == WEBHOOK["webhookUrl"]
    sent_back = {**made["credentials"], "webhookUrl": "https://example.com/new"}
    answer = await client.put(f"/v1/integrations/{made['_id']}", json={"credentials": sent_back})
    assert answer.json()["credentials"]["webhookUrl"] == "https://example.com/new"
    stored = await _stored(database, world.sealer, made["_id"], scope)
    assert WEBHOOK["secretKey"].encode() in stored


async def test_a_mask_of_another_value_is_refused(client: httpx.AsyncClient) -> None:
    made = await make(client, providerId="email-webhook", credentials=WEBHOOK)
    wrong = {**WEBHOOK, "secretKey": "••••••else"}
    answer = await client.put(f"/v1/integrations/{made['_id']}", json={"credentials": wrong})
    assert answer.status_code == 422
    assert "credentials.secretKey" in answer.json()["errors"]


async def test_configurations_keep_and_mask_the_signing_key(client: httpx.AsyncClient) -> None:
    configurations = {
        "inboundWebhookEnabled": True,
        "inboundWebhookSigningKey": "whsec_0123456789abcdef",
    }
    made = await make(client, configurations=configurations)
    shown = {"inboundWebhookEnabled": True, "inboundWebhookSigningKey": "••••••cdef"}
    assert made["configurations"] == shown
    answer = await client.put(
        f"/v1/integrations/{made['_id']}",
        json={"configurations": {**shown, "inboundWebhookEnabled": False}},
    )
    assert answer.json()["configurations"] == {**shown, "inboundWebhookEnabled": False}


async def test_no_credential_is_stored_in_the_clear(
    client: httpx.AsyncClient, database: Database
) -> None:
    configurations = {"inboundWebhookSigningKey": "signing-key-in-the-clear"}
    answer = await client.post(
        "/v1/integrations",
        json={
            "providerId": "email-webhook",
            "channel": "email",
            "credentials": WEBHOOK,
            "configurations": configurations,
        },
        headers={"Idempotency-Key": "k"},
    )
    assert answer.status_code == 201
    dump = await _dump(database)
    assert answer.json()["_id"].encode() in dump
    for secret in (*WEBHOOK.values(), configurations["inboundWebhookSigningKey"]):
        assert secret.encode() not in dump


@pytest.mark.parametrize(
    ("credentials", "field", "message"),
    [
        ({**SMTP, "host": ""}, "host", "Host is required"),
        ({**SMTP, "from": None}, "from", None),
        ({**SMTP, "port": "smtp"}, "port", "Port must be a number from 1 to 65535"),
        ({**SMTP, "from": "nobody"}, "from", "From address must be an e-mail address"),
        ({**SMTP, "host": "http://a/b"}, "host", "Host must be a host name"),
        ({**SMTP, "tlsOptions": {"key": "x"}}, "tlsOptions", "TLS options cannot hold key"),
        ({**SMTP, "password": "env:HOME"}, "password", "refers to env:HOME"),
        (
            {**SMTP, "password": "file:/run/secrets/../../etc/passwd"},
            "password",
            "which is not allowed",
        ),
    ],
)
async def test_credentials_are_checked_by_their_labels(
    client: httpx.AsyncClient, credentials: dict[str, Any], field: str, message: str | None
) -> None:
    body = {"providerId": "nodemailer", "channel": "email", "active": True}
    answer = await client.post("/v1/integrations", json={**body, "credentials": credentials})
    assert answer.status_code == 422
    [told] = answer.json()["errors"][f"credentials.{field}"]["messages"]
    if message:
        assert message in told


async def test_references_are_stored_and_shown_as_they_are(client: httpx.AsyncClient) -> None:
    credentials = {**SMTP, "user": "u", "password": "env:PROVIDER_SMTP_PASSWORD"}
    made = await make(client, credentials=credentials)
    assert made["credentials"]["password"] == "env:PROVIDER_SMTP_PASSWORD"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"providerId": "sendgrid-x"}, 422),
        ({"channel": "sms"}, 422),
        ({"channel": "fax"}, 422),
        ({"identifier": "with space"}, 422),
        ({"name": ""}, 422),
        ({"name": "a\0b"}, 422),
        ({"conditions": condition("a\0b")}, 422),
        ({"conditions": [{"isNegated": False}]}, 422),
        ({"credentials": {"port": 587}}, 422),
        ({"providerId": "svc", "channel": "in_app", "credentials": {}}, 400),
        ({"providerId": "novu", "channel": "in_app", "credentials": {}}, 400),
    ],
)
async def test_bad_input(client: httpx.AsyncClient, change: dict[str, Any], status: int) -> None:
    body = {"providerId": "nodemailer", "channel": "email", "credentials": SMTP}
    answer = await client.post("/v1/integrations", json={**body, **change})
    assert answer.status_code == status, answer.text


async def test_an_unknown_provider_is_refused_naming_the_known_ones(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post("/v1/integrations", json={"providerId": "carrier-pigeon"})
    [told] = answer.json()["errors"]["providerId"]["messages"]
    assert "nodemailer" in told


async def test_the_catalogue_describes_every_provider(client: httpx.AsyncClient) -> None:
    catalogue = {one["id"]: one for one in (await client.get("/v1/integrations/catalogue")).json()}
    smtp = catalogue["nodemailer"]
    assert smtp["channel"] == "email"
    assert smtp["displayName"] == "Custom SMTP"
    fields = {field["name"]: field for field in smtp["credentials"]}
    assert fields["host"]["required"] is True
    assert fields["password"]["secret"] is True
    assert fields["secure"]["kind"] == "boolean"
    assert fields["port"]["format"] == "port"
    assert all(one["docs"] for one in catalogue.values())
    assert set(catalogue) >= {
        "svc",
        "nodemailer",
        "email-webhook",
        "chat-webhook",
        "push-webhook",
        "generic-sms",
    }


async def test_changes_are_announced(client: httpx.AsyncClient, database: Database) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    connection = await database.connect()
    try:
        await connection.add_listener(
            "tidings_changes", lambda *told: heard.put_nowait(str(told[3]))
        )
        await make(client)
        assert await asyncio.wait_for(heard.get(), 5) == "integrations"
    finally:
        await connection.close()


async def _stored(database: Database, sealer: Sealer, id: str, scope: Scope) -> bytes:
    async with database.connection() as connection:
        sealed = await connection.fetchval("SELECT credentials FROM integrations WHERE id = $1", id)
    return sealer.open(sealed, scope.environment_id)


async def _dump(database: Database) -> bytes:
    """Every value of every table, as a dump would hold it."""
    dump = b""
    async with database.connection() as connection:
        tables = await connection.fetch(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        )
        for table in tables:
            for row in await connection.fetch(f'SELECT * FROM "{table["table_name"]}"'):
                for value in row.values():
                    dump += value if isinstance(value, bytes) else str(value).encode()
    return dump
