"""Environments of the caller's organization, and the API keys of the caller's environment."""

from typing import Literal

from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Struct, UnsetType, field

from tidings.actions import environments as actions
from tidings.actions import keys as key_actions
from tidings.domain.environments import Environment
from tidings.domain.keys import ApiKey
from tidings.domain.slugs import slug
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.unit import SECRET_ANSWER
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.providers.credentials import MASK
from tidings.storage import environments, keys


class EnvironmentIn(Struct, rename="camel", kw_only=True):
    name: str
    color: str | None = None
    parent_id: str | None = None


class EnvironmentChangeIn(Struct, rename="camel", kw_only=True):
    name: str | UnsetType = UNSET
    identifier: str | UnsetType = UNSET
    color: str | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET


class KeyIn(Struct, rename="camel", kw_only=True):
    name: str = "API key"


class NewKeyOut(Out, frozen=True, kw_only=True):
    key: str
    user_id: Id = field(name="_userId")
    """The key that asked for it; published clients require this field."""


class EnvironmentOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    organization_id: Id = field(name="_organizationId")
    parent_id: Id | UnsetType = field(name="_parentId", default=UNSET)
    name: str
    identifier: str
    slug: str
    type: Literal["dev", "prod"] | None
    color: str | UnsetType = UNSET
    api_keys: list[NewKeyOut] | UnsetType = UNSET
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, environment: Environment, new_key: NewKeyOut | None = None) -> "EnvironmentOut":
        return cls(
            id=environment.id,
            organization_id=environment.organization_id,
            parent_id=unless_none(environment.parent_id),
            name=environment.name,
            identifier=environment.identifier,
            slug=slug(environment.name, "env", environment.id),
            type=environment.kind,
            color=unless_none(environment.color),
            api_keys=UNSET if new_key is None else [new_key],
            created_at=iso(environment.created_at),
            updated_at=iso(environment.updated_at),
        )


class KeyOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    environment_id: Id = field(name="_environmentId")
    name: str
    key: str
    """The whole key in the answer that makes it; afterwards its last characters behind a mask."""
    created_at: Timestamp
    last_used_at: Timestamp | UnsetType = UNSET

    @classmethod
    def of(cls, key: ApiKey, secret: str | None = None) -> "KeyOut":
        return cls(
            id=key.id,
            environment_id=key.scope.environment_id,
            name=key.name,
            key=secret or MASK + key.hint,
            created_at=iso(key.created_at),
            last_used_at=UNSET if key.last_used_at is None else iso(key.last_used_at),
        )


@get("/v1/environments", tags=["Environments"], summary="List environments")
async def list_environments(conn: Conn, caller: ByCaller) -> list[EnvironmentOut]:
    """The environments of the organization that the key belongs to, oldest first."""
    return [EnvironmentOut.of(each) for each in await environments.all_of(conn, caller.scope)]


@post(
    "/v1/environments",
    tags=["Environments"],
    summary="Create an environment",
    opt=SECRET_ANSWER,
)
async def create_environment(
    data: JSONBody[EnvironmentIn], tx: Tx, caller: ByCaller, world: InWorld
) -> EnvironmentOut:
    """A new environment with its own identifier, in-app integration and first key. `apiKeys` shows
    that key, this once."""
    made, secret = await actions.create(
        tx, caller.scope, world, data.name, data.color, data.parent_id
    )
    return EnvironmentOut.of(made, NewKeyOut(key=secret, user_id=caller.key_id))


@put(
    "/v1/environments/{environment_id:str}", tags=["Environments"], summary="Change an environment"
)
async def update_environment(
    environment_id: FromPath[str],
    data: JSONBody[EnvironmentChangeIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> EnvironmentOut:
    """Changes what is given. Development and Production keep their names."""
    change = actions.Change(
        name=data.name, identifier=data.identifier, color=data.color, parent_id=data.parent_id
    )
    return EnvironmentOut.of(await actions.update(tx, caller.scope, world, environment_id, change))


@delete(
    "/v1/environments/{environment_id:str}",
    tags=["Environments"],
    summary="Delete an environment",
    status_code=200,
)
async def delete_environment(
    environment_id: FromPath[str], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """Removes the environment and everything in it. Development, Production and the environment
    of the calling key cannot be deleted."""
    await actions.delete(tx, caller.scope, world, environment_id)


@get("/v1/environments/api-keys", tags=["Environments"], summary="List API keys")
async def list_api_keys(conn: Conn, caller: ByCaller) -> list[KeyOut]:
    """The keys of this environment that work, with their last characters."""
    return [KeyOut.of(key) for key in await keys.live(conn, caller.scope)]


@post(
    "/v1/environments/api-keys",
    tags=["Environments"],
    summary="Create an API key",
    opt=SECRET_ANSWER,
)
async def create_api_key(data: JSONBody[KeyIn], tx: Tx, caller: ByCaller, world: InWorld) -> KeyOut:
    """Another key for this environment; its text is shown this once."""
    return KeyOut.of(*await key_actions.create(tx, caller.scope, world, data.name))


@post(
    "/v1/environments/api-keys/regenerate",
    tags=["Environments"],
    summary="Replace the calling API key",
    status_code=200,
    opt=SECRET_ANSWER,
)
async def regenerate_api_key(tx: Tx, caller: ByCaller, world: InWorld) -> list[KeyOut]:
    """A new key in place of the one that calls, which stops working at once. The new key's text is
    shown this once; the environment's other keys are untouched."""
    made, secret = await key_actions.regenerate(tx, caller.scope, world, caller.key_id)
    others = [key for key in await keys.live(tx, caller.scope) if key.id != made.id]
    return [KeyOut.of(made, secret), *(KeyOut.of(key) for key in others)]


@delete(
    "/v1/environments/api-keys/{key_id:str}",
    tags=["Environments"],
    summary="Revoke an API key",
    status_code=200,
)
async def delete_api_key(
    key_id: FromPath[str], tx: Tx, caller: ByCaller, world: InWorld
) -> list[KeyOut]:
    """The key stops working at once, in every process. The last key cannot be revoked. Answers the
    keys that remain."""
    return [KeyOut.of(key) for key in await key_actions.remove(tx, caller.scope, world, key_id)]


HANDLERS = [
    list_environments,
    create_environment,
    update_environment,
    delete_environment,
    list_api_keys,
    create_api_key,
    regenerate_api_key,
    delete_api_key,
]
