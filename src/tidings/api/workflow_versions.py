"""Versions of a workflow: who saved it when and what changed, and the way back."""

from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, PathParameter
from msgspec import UNSET, UnsetType

from tidings.actions import workflows as actions
from tidings.api.workflow_shapes import DefinitionOut, WorkflowOut
from tidings.domain.workflows import Version
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.offsets import Limit, Offset, limit_of, offset_of
from tidings.hall.wire import Out, Timestamp, iso
from tidings.storage import connections, workflow_versions, workflows

_TAGS = ["Workflows"]

WorkflowId = Annotated[str, PathParameter(name="workflowId")]


class SavedByOut(Out, frozen=True, kw_only=True):
    """The API key, or the command, that saved it."""

    id: str
    name: str


class VersionOut(Out, frozen=True, kw_only=True):
    version: int
    saved_at: Timestamp
    saved_by: SavedByOut | UnsetType = UNSET
    changes: list[str]
    workflow: DefinitionOut | UnsetType = UNSET

    @classmethod
    def of(cls, version: Version) -> "VersionOut":
        by, definition = version.saved_by, version.definition
        return cls(
            version=version.version,
            saved_at=iso(version.saved_at),
            saved_by=UNSET if by is None else SavedByOut(id=by.id, name=by.name),
            changes=version.changes,
            workflow=UNSET if definition is None else DefinitionOut.of(definition),
        )


class VersionListOut(Out, frozen=True, kw_only=True):
    versions: list[VersionOut]
    total_count: int


@get("/v2/workflows/{workflowId:str}/versions", tags=_TAGS, summary="List versions of a workflow")
async def list_workflow_versions(
    workflow_id: WorkflowId,
    conn: Conn,
    caller: ByCaller,
    limit: Limit = 50,
    offset: Offset = 0,
) -> VersionListOut:
    """Newest first."""
    workflow = await workflows.get(conn, caller.scope, workflow_id)
    found = await workflow_versions.page(
        conn, caller.scope, workflow.id, limit_of(limit), offset_of(offset)
    )
    versions = [VersionOut.of(each) for each in found]
    return VersionListOut(versions=versions, total_count=workflow.version)


@get(
    "/v2/workflows/{workflowId:str}/versions/{version:int}",
    tags=_TAGS,
    summary="Retrieve a version of a workflow",
)
async def retrieve_workflow_version(
    workflow_id: WorkflowId, version: FromPath[int], conn: Conn, caller: ByCaller
) -> VersionOut:
    """With the workflow as it was."""
    workflow = await workflows.get(conn, caller.scope, workflow_id)
    return VersionOut.of(await workflow_versions.get(conn, caller.scope, workflow.id, version))


@post(
    "/v2/workflows/{workflowId:str}/versions/{version:int}/restore",
    tags=_TAGS,
    summary="Restore a version of a workflow",
    status_code=200,
)
async def restore_workflow_version(
    workflow_id: WorkflowId,
    version: FromPath[int],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> WorkflowOut:
    """Saves the old version as the newest one; nothing is lost."""
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await actions.restore(tx, caller.scope, world, workflow_id, version, author)
    return WorkflowOut.of(workflow, await connections.of(tx, caller.scope), dialect)


HANDLERS = [list_workflow_versions, retrieve_workflow_version, restore_workflow_version]
