"""Workflows: list, retrieve, create, change, copy, remove and synchronize."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, delete, get, patch, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, UnsetType

from tidings.actions import publishing
from tidings.actions import workflows as actions
from tidings.api.workflow_shapes import (
    Name,
    WorkflowCreateIn,
    WorkflowListItemOut,
    WorkflowOut,
    WorkflowPatchIn,
    WorkflowUpdateIn,
)
from tidings.domain.drafts import Draft
from tidings.domain.errors import ForbiddenError
from tidings.domain.workflows import Status
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.offsets import Limit, Many, Offset, limit_of, many, offset_of
from tidings.hall.wire import Out
from tidings.storage import connections, workflows
from tidings.storage.workflows import Filter, OrderBy, Window

_TAGS = ["Workflows"]

WorkflowId = Annotated[str, PathParameter(name="workflowId")]


class WorkflowListOut(Out, frozen=True, kw_only=True):
    workflows: list[WorkflowListItemOut]
    total_count: int


class SyncIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    target_environment_id: str


class DuplicateIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: Name | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    description: str | UnsetType = UNSET


@get("/v2/workflows", tags=_TAGS, summary="List workflows")
async def list_workflows(
    request: Request[Any, Any, Any],
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    tags: Many[str] = None,
    status: Many[Status] = None,
    search: Annotated[
        str | None,
        QueryParameter(name="query", description="Part of a name or workflowId, in any case."),
    ] = None,
    order_by: Annotated[OrderBy, QueryParameter(name="orderBy")] = "createdAt",
    order_direction: Annotated[
        Literal["ASC", "DESC"], QueryParameter(name="orderDirection")
    ] = "DESC",
    limit: Limit = 50,
    offset: Offset = 0,
) -> WorkflowListOut:
    """Those that have any of the tags and any of the statuses."""
    filter = Filter(
        query=search, tags=many(request, "tags", tags), statuses=many(request, "status", status)
    )
    window = Window(
        order_by=order_by,
        descending=order_direction == "DESC",
        limit=limit_of(limit),
        offset=offset_of(offset),
    )
    found, total = await workflows.page(conn, caller.scope, filter, window)
    present = await connections.of(conn, caller.scope)
    items = [WorkflowListItemOut.of(each, present, dialect) for each in found]
    return WorkflowListOut(workflows=items, total_count=total)


@get("/v2/workflows/{workflowId:str}", tags=_TAGS, summary="Retrieve a workflow")
async def retrieve_workflow(
    workflow_id: WorkflowId,
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    environment_id: Annotated[
        str | None,
        QueryParameter(name="environmentId", description="The key's own environment, if given."),
    ] = None,
) -> WorkflowOut:
    """By its workflowId, `_id` or slug."""
    if environment_id and environment_id != caller.scope.environment_id:
        raise ForbiddenError(
            "An API key belongs to one environment. Use a key of the environment you ask for.",
            environmentId=environment_id,
        )
    workflow = await workflows.get(conn, caller.scope, workflow_id)
    return WorkflowOut.of(workflow, await connections.of(conn, caller.scope), dialect)


@post("/v2/workflows", tags=_TAGS, summary="Create a workflow")
async def create_workflow(
    data: JSONBody[WorkflowCreateIn], tx: Tx, caller: ByCaller, world: InWorld, dialect: InDialect
) -> WorkflowOut:
    """Steps with faulty control values are accepted and carry issues. A workflowId that is taken
    gets a short suffix."""
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await actions.create(tx, caller.scope, world, data.workflow_id, data.draft(), author)
    return WorkflowOut.of(workflow, await connections.of(tx, caller.scope), dialect)


@put("/v2/workflows/{workflowId:str}", tags=_TAGS, summary="Update a workflow")
async def update_workflow(
    workflow_id: WorkflowId,
    data: JSONBody[WorkflowUpdateIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> WorkflowOut:
    """Steps that are left out are removed; a step with its `_id` or stepId keeps both. Absent
    `controlValues` stay, null clears them."""
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await actions.change(tx, caller.scope, world, workflow_id, data.draft(), author)
    return WorkflowOut.of(workflow, await connections.of(tx, caller.scope), dialect)


@patch("/v2/workflows/{workflowId:str}", tags=_TAGS, summary="Change parts of a workflow")
async def patch_workflow(
    workflow_id: WorkflowId,
    data: JSONBody[WorkflowPatchIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> WorkflowOut:
    """What is absent stays as it is."""
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await actions.change(tx, caller.scope, world, workflow_id, data.draft(), author)
    return WorkflowOut.of(workflow, await connections.of(tx, caller.scope), dialect)


@delete("/v2/workflows/{workflowId:str}", tags=_TAGS, summary="Delete a workflow")
async def delete_workflow(
    workflow_id: WorkflowId, tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """What it has sent and what is under way stays."""
    await actions.remove(tx, caller.scope, world, workflow_id)


@post("/v2/workflows/{workflowId:str}/duplicate", tags=_TAGS, summary="Duplicate a workflow")
async def duplicate_workflow(
    workflow_id: WorkflowId,
    data: JSONBody[DuplicateIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> WorkflowOut:
    """An inactive copy with a workflowId of its own."""
    draft = Draft(name=data.name, tags=data.tags, description=data.description)
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await actions.duplicate(tx, caller.scope, world, workflow_id, draft, author)
    return WorkflowOut.of(workflow, await connections.of(tx, caller.scope), dialect)


@put("/v2/workflows/{workflowId:str}/sync", tags=_TAGS, summary="Sync to another environment")
async def sync_workflow(
    workflow_id: WorkflowId,
    data: JSONBody[SyncIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> WorkflowOut:
    """Answers the workflow as it is in the target. The layouts it uses go along; ids that exist
    there are kept."""
    target = await publishing.target_scope(tx, caller.scope, data.target_environment_id)
    author = await actions.author_of(tx, caller.scope, caller.key_id)
    workflow = await publishing.sync(tx, caller.scope, world, workflow_id, target, author)
    return WorkflowOut.of(workflow, await connections.of(tx, target), dialect)


HANDLERS = [
    list_workflows,
    retrieve_workflow,
    create_workflow,
    update_workflow,
    patch_workflow,
    delete_workflow,
    duplicate_workflow,
    sync_workflow,
]
