"""One step of a workflow: read it, and see what it would send."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import JSONBody, PathParameter
from msgspec import UNSET, UnsetType

from tidings.actions import previews
from tidings.actions.previews import Preview
from tidings.api.workflow_shapes import ContentIssueOut, StepOut, controls_issues
from tidings.domain.errors import RefusedError
from tidings.domain.scope import Scope
from tidings.domain.workflows import StepType, find_step
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.wire import Out
from tidings.storage import connections, layouts, workflows
from tidings.storage.database import Connection
from tidings.world import World

_TAGS = ["Workflows"]

WorkflowId = Annotated[str, PathParameter(name="workflowId")]
StepId = Annotated[str, PathParameter(name="stepId")]
_INERT = "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; sandbox"


class PreviewPayloadIn(msgspec.Struct, frozen=True, kw_only=True):
    """Sample data; what is absent is made up."""

    payload: dict[str, Any] | None = None
    subscriber: dict[str, Any] | None = None
    actor: dict[str, Any] | None = None
    steps: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    env: dict[str, Any] | None = None


class PreviewIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    control_values: dict[str, Any] | None = None
    """Instead of those that are saved."""
    preview_payload: PreviewPayloadIn = msgspec.field(default_factory=PreviewPayloadIn)


class PreviewErrorOut(Out, frozen=True, kw_only=True):
    title: str
    message: str
    hint: str


class PreviewResultOut(Out, frozen=True, kw_only=True):
    type: StepType
    preview: dict[str, Any]
    error: PreviewErrorOut | UnsetType = UNSET


class PreviewOut(Out, frozen=True, kw_only=True):
    preview_payload_example: dict[str, Any]
    result: PreviewResultOut
    schema: dict[str, Any]
    issues: dict[str, list[ContentIssueOut]]

    @classmethod
    def of(cls, type: StepType, preview: Preview) -> "PreviewOut":
        issues = controls_issues(preview.issues)
        shown = {name: value for name, value in preview.sample.items() if name != "workflow"}
        return cls(
            preview_payload_example=shown,
            result=PreviewResultOut(type=type, preview=preview.content, error=_error(preview)),
            schema=preview.schema,
            issues={} if issues is UNSET else issues,
        )


def _error(preview: Preview) -> PreviewErrorOut | UnsetType:
    for path, issues in preview.issues.items():
        return PreviewErrorOut(
            title=f"There is something wrong with {path}.",
            message=issues[0].message,
            hint=f"`issues` lists everything found ({len(preview.issues)} controls).",
        )
    return UNSET


@get(
    "/v2/workflows/{workflowId:str}/steps/{stepId:str}",
    tags=_TAGS,
    summary="Retrieve a step of a workflow",
)
async def retrieve_workflow_step(
    workflow_id: WorkflowId,
    step_id: StepId,
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
) -> StepOut:
    """By its stepId, `_id` or slug."""
    workflow = await workflows.get(conn, caller.scope, workflow_id)
    step = find_step(workflow, step_id)
    return StepOut.of(workflow, step, await connections.of(conn, caller.scope), dialect)


@post(
    "/v2/workflows/{workflowId:str}/step/{stepId:str}/preview",
    tags=_TAGS,
    summary="Preview a step",
)
async def preview_workflow_step(
    workflow_id: WorkflowId,
    step_id: StepId,
    data: JSONBody[PreviewIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> PreviewOut:
    """The step rendered with sample data. Everything wrong with it is in `issues`."""
    type, preview = await _preview(tx, caller.scope, world, workflow_id, step_id, data)
    return PreviewOut.of(type, preview)


@post(
    "/v2/workflows/{workflowId:str}/step/{stepId:str}/preview/html",
    tags=_TAGS,
    summary="Preview an e-mail as a document",
    media_type="text/html",
    status_code=200,
)
async def preview_email_document(
    workflow_id: WorkflowId,
    step_id: StepId,
    data: JSONBody[PreviewIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> Response[bytes]:
    """The e-mail as its reader gets it, to be opened in a browser."""
    _, preview = await _preview(tx, caller.scope, world, workflow_id, step_id, data)
    if preview.html is None:
        raise RefusedError("Only e-mail steps have a document. Use the preview without /html.")
    headers = {"Content-Security-Policy": _INERT, "X-Content-Type-Options": "nosniff"}
    return Response(preview.html.encode(), media_type="text/html", headers=headers)


async def _preview(
    tx: Connection, scope: Scope, world: World, workflow_id: str, step_id: str, data: PreviewIn
) -> tuple[StepType, Preview]:
    workflow = await workflows.get(tx, scope, workflow_id)
    step = find_step(workflow, step_id)
    known = {layout.key: layout for layout in await layouts.all_of(tx, scope)}
    default = next((layout for layout in known.values() if layout.is_default), None)
    preview = await asyncio.to_thread(
        previews.preview,
        workflow,
        step,
        data.control_values,
        msgspec.to_builtins(data.preview_payload),
        known,
        default,
        world.limits,
    )
    return step.type, preview


HANDLERS = [retrieve_workflow_step, preview_workflow_step, preview_email_document]
