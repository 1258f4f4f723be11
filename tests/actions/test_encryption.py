"""Changing the encryption key keeps every integration working."""

import msgspec

from tidings.actions import encryption, integrations
from tidings.actions.integrations import NewIntegration
from tidings.domain.integrations import Configurations
from tidings.domain.scope import Scope
from tidings.storage import integrations as stored
from tidings.storage.database import Database
from tidings.storage.secrets import Sealer
from tidings.world import World

OLD, NEW = bytes(range(32)), bytes(range(32, 64))


async def test_integrations_open_with_the_new_key_alone(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    credentials = {"webhookUrl": "https://a.example", "secretKey": "secret", "from": "a@b.c"}
    new = NewIntegration(
        provider_id="email-webhook",
        credentials=credentials,
        configurations=Configurations(inbound_webhook_signing_key="signing"),
        active=True,
    )
    async with database.transaction() as tx:
        for each in (scope, other_scope):
            await integrations.create(tx, each, world, new)
    both = msgspec.structs.replace(world, sealer=Sealer(lambda: [NEW, OLD]))
    columns = {column async for column, _ in encryption.rotate(database, both)}
    assert {"integrations.credentials", "integrations.configurations"} <= columns
    only_new = Sealer(lambda: [NEW])
    for each in (scope, other_scope):
        async with database.connection() as connection:
            found = await stored.all_of(connection, each, only_new)
        made = next(one for one in found if one.provider_id == "email-webhook")
        assert made.credentials == credentials
        assert made.configurations.inbound_webhook_signing_key == "signing"
