"""Environments of the caller's organization."""

from typing import Literal

from litestar import get
from msgspec import UNSET, UnsetType, field

from tidings.api.given import ByCaller, Conn
from tidings.api.wire import Id, Out, Timestamp, iso, unless_none
from tidings.domain.environments import Environment
from tidings.storage import environments


class EnvironmentOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    organization_id: Id = field(name="_organizationId")
    parent_id: Id | UnsetType = field(name="_parentId", default=UNSET)
    name: str
    identifier: str
    type: Literal["dev", "prod"] | None
    color: str | UnsetType = UNSET
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, environment: Environment) -> "EnvironmentOut":
        return cls(
            id=environment.id,
            organization_id=environment.organization_id,
            parent_id=unless_none(environment.parent_id),
            name=environment.name,
            identifier=environment.identifier,
            type=environment.kind,
            color=unless_none(environment.color),
            created_at=iso(environment.created_at),
            updated_at=iso(environment.updated_at),
        )


@get("/v1/environments", tags=["Environments"], summary="List environments")
async def list_environments(conn: Conn, caller: ByCaller) -> list[EnvironmentOut]:
    """The environments of the organization that the key belongs to, oldest first."""
    return [EnvironmentOut.of(each) for each in await environments.all_of(conn, caller.scope)]


HANDLERS = [list_environments]
