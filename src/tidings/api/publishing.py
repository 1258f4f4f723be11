"""Between environments: the tags in use, what differs, and bringing it over."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import JSONBody, PathParameter
from msgspec import UNSET, UnsetType

from tidings.actions import publishing, workflows
from tidings.actions.publishing import Pair, Result
from tidings.domain.differences import Change
from tidings.domain.errors import ForbiddenError
from tidings.domain.layouts import Layout
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.wire import Out, Timestamp, iso
from tidings.storage import environments
from tidings.storage import workflows as stored
from tidings.storage.database import Connection

_TAGS = ["Environments"]

EnvironmentId = Annotated[str, PathParameter(name="environmentId")]
TargetEnvironmentId = Annotated[str, PathParameter(name="targetEnvironmentId")]

Kind = Literal["workflow", "layout", "step"]
ResourceType = Literal["REGULAR"]
"""The one value that published clients take; `kind` says what it is."""


class DiffIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    source_environment_id: str | None = None
    """Unless given: the environment of the key."""


class ResourceIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    resource_id: str


class PublishIn(DiffIn, frozen=True, kw_only=True, rename="camel"):
    dry_run: bool = False
    resources: list[ResourceIn] | None = None
    """Unless given: everything."""


class TagOut(Out, frozen=True, kw_only=True):
    name: str


class ResourceOut(Out, frozen=True, kw_only=True):
    id: str
    name: str
    updated_at: Timestamp | UnsetType = UNSET

    @classmethod
    def of(cls, thing: Workflow | Layout | None) -> "ResourceOut | None":
        if thing is None:
            return None
        return cls(id=thing.key, name=thing.name, updated_at=iso(thing.updated_at))


class DiffsOut(Out, frozen=True, kw_only=True):
    previous: dict[str, Any] | None
    new: dict[str, Any] | None


class ChangeOut(Out, frozen=True, kw_only=True):
    resource_type: ResourceType
    kind: Kind
    action: Literal["added", "modified", "deleted", "unchanged", "moved"]
    description: str
    source_resource: ResourceOut | None
    target_resource: ResourceOut | None
    diffs: DiffsOut

    @classmethod
    def of(cls, pair: Pair, change: Change) -> "ChangeOut":
        step = change.step and ResourceOut(id=change.step, name=change.step)
        gone, new = change.action == "deleted", change.action == "added"
        return cls(
            resource_type="REGULAR",
            kind="step" if step else pair.kind,
            action=change.action,
            description=str(change),
            source_resource=(None if gone else step) if step else ResourceOut.of(pair.source),
            target_resource=(None if new else step) if step else ResourceOut.of(pair.target),
            diffs=DiffsOut(
                previous=None if new else {change.path: change.before},
                new=None if gone else {change.path: change.after},
            ),
        )


class DiffSummaryOut(Out, frozen=True, kw_only=True):
    added: int
    modified: int
    deleted: int
    unchanged: int


class ResourceDiffOut(Out, frozen=True, kw_only=True):
    resource_type: ResourceType
    kind: Kind
    action: Literal["added", "modified", "deleted", "unchanged"]
    source_resource: ResourceOut | None
    target_resource: ResourceOut | None
    changes: list[ChangeOut]
    summary: DiffSummaryOut

    @classmethod
    def of(cls, pair: Pair) -> "ResourceDiffOut":
        def count(action: str) -> int:
            return int(pair.action == action)

        return cls(
            resource_type="REGULAR",
            kind=pair.kind,
            action=pair.action,
            source_resource=ResourceOut.of(pair.source),
            target_resource=ResourceOut.of(pair.target),
            changes=[ChangeOut.of(pair, change) for change in pair.changes],
            summary=DiffSummaryOut(
                added=count("added"),
                modified=count("modified"),
                deleted=count("deleted"),
                unchanged=count("unchanged"),
            ),
        )


class EnvironmentDiffSummaryOut(Out, frozen=True, kw_only=True):
    total_entities: int
    total_changes: int
    has_changes: bool


class EnvironmentDiffOut(Out, frozen=True, kw_only=True):
    source_environment_id: str
    target_environment_id: str
    resources: list[ResourceDiffOut]
    summary: EnvironmentDiffSummaryOut


class PublishedOut(Out, frozen=True, kw_only=True):
    resource_type: ResourceType
    kind: Kind
    resource_id: str
    resource_name: str
    action: Literal["created", "updated", "skipped"]
    reason: str | UnsetType = UNSET
    error: str | UnsetType = UNSET

    @classmethod
    def of(cls, result: Result) -> "PublishedOut":
        return cls(
            resource_type="REGULAR",
            kind=result.kind,
            resource_id=result.key,
            resource_name=result.name,
            action=result.action,
            reason=result.reason or UNSET,
            error=result.error or UNSET,
        )


class PublishResultOut(Out, frozen=True, kw_only=True):
    resource_type: ResourceType
    kind: Kind
    successful: list[PublishedOut]
    failed: list[PublishedOut]
    skipped: list[PublishedOut]
    total_processed: int

    @classmethod
    def of(cls, kind: Kind, results: list[Result]) -> "PublishResultOut":
        failed = [each for each in results if each.error]
        skipped = [each for each in results if each.action == "skipped"]
        done = [each for each in results if not each.error and each.action != "skipped"]
        return cls(
            resource_type="REGULAR",
            kind=kind,
            successful=[PublishedOut.of(each) for each in done],
            failed=[PublishedOut.of(each) for each in failed],
            skipped=[PublishedOut.of(each) for each in skipped],
            total_processed=len(results),
        )


class PublishSummaryOut(Out, frozen=True, kw_only=True):
    resources: int
    successful: int
    failed: int
    skipped: int


class PublishOut(Out, frozen=True, kw_only=True):
    results: list[PublishResultOut]
    summary: PublishSummaryOut

    @classmethod
    def of(cls, results: list[Result]) -> "PublishOut":
        groups = [
            PublishResultOut.of(kind, [each for each in results if each.kind == kind])
            for kind in ("layout", "workflow")
        ]
        return cls(
            results=[group for group in groups if group.total_processed],
            summary=PublishSummaryOut(
                resources=len(results),
                successful=sum(len(group.successful) for group in groups),
                failed=sum(len(group.failed) for group in groups),
                skipped=sum(len(group.skipped) for group in groups),
            ),
        )


@get("/v2/environments/{environmentId:str}/tags", tags=_TAGS, summary="List tags in use")
async def list_environment_tags(
    environment_id: EnvironmentId, conn: Conn, caller: ByCaller
) -> list[TagOut]:
    """The tags that workflows of this environment carry."""
    await _own(conn, caller.scope, environment_id)
    return [TagOut(name=tag) for tag in await stored.tags(conn, caller.scope)]


@post(
    "/v2/environments/{targetEnvironmentId:str}/diff",
    tags=_TAGS,
    summary="Compare with another environment",
    status_code=200,
)
async def diff_environment(
    target_environment_id: TargetEnvironmentId, data: JSONBody[DiffIn], tx: Tx, caller: ByCaller
) -> EnvironmentDiffOut:
    """What publishing to the target would change there, workflow by workflow."""
    target = await _target(tx, caller.scope, data, target_environment_id)
    pairs = await publishing.compare(tx, caller.scope, target)
    changed = sum(pair.action != "unchanged" for pair in pairs)
    return EnvironmentDiffOut(
        source_environment_id=caller.scope.environment_id,
        target_environment_id=target.environment_id,
        resources=[ResourceDiffOut.of(pair) for pair in pairs],
        summary=EnvironmentDiffSummaryOut(
            total_entities=len(pairs), total_changes=changed, has_changes=changed > 0
        ),
    )


@post(
    "/v2/environments/{targetEnvironmentId:str}/publish",
    tags=_TAGS,
    summary="Publish to another environment",
    status_code=200,
)
async def publish_environment(
    target_environment_id: TargetEnvironmentId,
    data: JSONBody[PublishIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> PublishOut:
    """Brings over everything that differs, or the chosen resources; `dryRun` only tells."""
    target = await _target(tx, caller.scope, data, target_environment_id)
    wanted = None if data.resources is None else [each.resource_id for each in data.resources]
    author = await workflows.author_of(tx, caller.scope, caller.key_id)
    results = await publishing.publish(
        tx, caller.scope, world, target, wanted, data.dry_run, author
    )
    return PublishOut.of(results)


async def _target(connection: Connection, scope: Scope, data: DiffIn, environment_id: str) -> Scope:
    source = data.source_environment_id
    if source is not None and source != scope.environment_id:
        raise ForbiddenError(
            "An API key belongs to one environment. Use a key of the environment to publish from.",
            sourceEnvironmentId=source,
        )
    return await publishing.known_target(connection, scope, environment_id)


async def _own(connection: Connection, scope: Scope, environment_id: str) -> None:
    """Refuse an environment that is not the key's, and do not find one that is nobody's."""
    if environment_id == scope.environment_id:
        return
    known = [each.id for each in await environments.all_of(connection, scope)]
    if environment_id in known:
        raise ForbiddenError(
            "An API key belongs to one environment. Use a key of the environment you ask for.",
            environmentId=environment_id,
        )
    await publishing.known_target(connection, scope, environment_id)


HANDLERS = [list_environment_tags, diff_environment, publish_environment]
