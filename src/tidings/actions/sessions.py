"""Opening sessions of subscribers, and changing what proves and signs them."""

from datetime import timedelta

import msgspec

from tidings.actions import subscribers
from tidings.actions.preferences import choose_everywhere
from tidings.domain.environments import Environment
from tidings.domain.errors import NotFoundError, RefusedError
from tidings.domain.schedules import Schedule
from tidings.domain.scope import Scope
from tidings.domain.sessions import FORMER_SECRET_SERVES, SigningKey, is_vouched_for
from tidings.domain.subscribers import Profile, Subscriber
from tidings.storage import connections, environments, integrations, preferences, signing_keys
from tidings.storage.database import Connection
from tidings.world import World


async def signing_key(
    tx: Connection, scope: Scope, world: World, lifetime: timedelta
) -> SigningKey:
    """The key that signs now; a new one when there is none or the present one has served long."""
    key = await signing_keys.current(tx, scope, world.sealer)
    if key is not None and not key.is_due_for_change(world.clock.now()):
        return key
    await signing_keys.lock(tx, scope)
    again = await signing_keys.current(tx, scope, world.sealer)
    if again is not None and (key is None or again.id != key.id):
        return again
    return await rotate_signing_key(tx, scope, world, lifetime)


async def rotate_signing_key(
    tx: Connection, scope: Scope, world: World, lifetime: timedelta
) -> SigningKey:
    """A new key; tokens that the one before signed stay good until they run out."""
    now = world.clock.now()
    await signing_keys.lock(tx, scope)
    key = SigningKey(
        id=world.ids.new(),
        scope=scope,
        secret=bytes.fromhex(world.ids.secret()),
        created_at=now,
    )
    await signing_keys.replace(tx, world.sealer, key, now + lifetime)
    return key


async def end_all(tx: Connection, scope: Scope, world: World) -> None:
    """Every subscriber has to open a new session."""
    await signing_keys.forget_all(tx, scope)


class Opened(msgspec.Struct, frozen=True):
    """Whose session it is, and the key that signs its token."""

    environment: Environment
    scope: Scope
    subscriber: Subscriber
    key: SigningKey


class Rules(msgspec.Struct, frozen=True):
    """What the operator wants of sessions."""

    needs_hash: bool
    lifetime: timedelta
    open_topics: tuple[str, ...] = ()
    """Patterns of the topics that subscribers may join by themselves."""


async def open_session(
    tx: Connection,
    world: World,
    rules: Rules,
    identifier: str,
    profile: Profile,
    given_hash: str | None,
    first_schedule: Schedule | None = None,
) -> Opened:
    """Make or update the subscriber that somebody vouches for; the schedule is for one that has
    none yet."""
    environment = await environments.find_by_identifier(tx, identifier)
    if environment is None:
        raise RefusedError(
            f"There is no application {identifier!r}. Send the identifier of the environment as "
            "applicationIdentifier; GET /v1/environments shows it.",
            applicationIdentifier=identifier,
        )
    scope = Scope(environment.organization_id, environment.id)
    strict = rules.needs_hash or await _wants_hash(tx, scope, world)
    await _refuse_unproven(tx, scope, world, profile.key, given_hash, strict)
    subscriber = await subscribers.create_or_update(tx, scope, world, profile)
    if first_schedule is not None:
        chosen = await preferences.chosen(tx, scope, subscriber.id)
        if chosen.schedule is None:
            await choose_everywhere(tx, scope, world, subscriber.key, {}, first_schedule)
    key = await signing_key(tx, scope, world, rules.lifetime)
    await connections.note_inbox(tx, scope)
    return Opened(environment, scope, subscriber, key)


async def inbox_secret(conn: Connection, scope: Scope, world: World) -> str:
    """What subscriber hashes are made with."""
    present, *_ = await environments.inbox_secrets(conn, scope, world.sealer, world.clock.now())
    return present


async def rotate_inbox_secret(
    tx: Connection, scope: Scope, world: World, serves: timedelta = FORMER_SECRET_SERVES
) -> str:
    """A new secret; hashes made with the one before are accepted for a while longer."""
    secret = world.ids.secret()
    sealed = world.sealer.seal(secret.encode(), scope.environment_id)
    await environments.set_inbox_secret(tx, scope, sealed, world.clock.now() + serves)
    return secret


async def _wants_hash(tx: Connection, scope: Scope, world: World) -> bool:
    """Whether the in-app integration asks for it; without one there is no inbox."""
    for each in await integrations.all_of(tx, scope, world.sealer, active_only=True):
        if each.channel == "in_app":
            return bool(each.credentials.get("hmac"))
    raise NotFoundError(
        "This environment has no active in-app integration. Switch it on, or make one with "
        "POST /v1/integrations.",
        environmentId=scope.environment_id,
    )


async def _refuse_unproven(
    tx: Connection, scope: Scope, world: World, key: str, given: str | None, strict: bool
) -> None:
    if given is None:
        if strict:
            raise RefusedError(
                "This environment needs a subscriberHash: the hexadecimal HMAC-SHA256 of the "
                "subscriberId, keyed with the inbox secret (`tidings inbox secret`).",
                subscriberId=key,
            )
        return
    secrets = await environments.inbox_secrets(tx, scope, world.sealer, world.clock.now())
    if not is_vouched_for(secrets, key, given):
        raise RefusedError(
            "The subscriberHash does not fit the subscriberId. It must be the hexadecimal "
            "HMAC-SHA256 of exactly this subscriberId, keyed with the inbox secret.",
            subscriberId=key,
        )
