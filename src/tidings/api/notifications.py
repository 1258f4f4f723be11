"""Triggered events: what became of each, why, and trying again."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from litestar import Request, get, post
from litestar.params import PathParameter, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import notifications as actions
from tidings.api.steps_shown import (
    ShownStepOut,
    TriggerShapeOut,
    step_of,
    trigger_of,
    unknown_step,
)
from tidings.dialect import Dialect
from tidings.domain.activities import Activity, Person
from tidings.domain.explaining import Account, StepAccount, account
from tidings.domain.notifications import Detail, DetailSource, DetailStatus, Job, Severity
from tidings.domain.scope import Scope
from tidings.domain.workflows import Definition
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.pages import After, Before, Limit, Number, NumberedPageOut, several, span, window
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import notifications
from tidings.storage.replays import Again

_TAGS = ["Notifications"]
LARGEST_LIMIT = 50
OWN_PROVIDER = "svc"
_VERSIONS_KEPT = 256
_PROOFS_KEPT = 2000

K = TypeVar("K")
V = TypeVar("V")

ById = Annotated[str, PathParameter(name="notificationId")]


class _Ran:
    """The version of a workflow that ran, as every notification of it shows it."""

    def __init__(self, definition: Definition | None) -> None:
        steps = definition.steps if definition else ()
        self._steps = {step.id: _encoded(step_of(step)) for step in steps}
        self.controls = _encoded({step.key: step.controls for step in steps})
        self._definition = definition
        self._triggers: dict[str, Any] = {}

    def triggers(self, key: str) -> Any:
        """How the workflow with this key is triggered."""
        if key not in self._triggers:
            self._triggers = {key: _encoded([trigger_of(key, self._definition)])}
        return self._triggers[key]

    def step(self, id: str) -> Any:
        found = self._steps.get(id)
        return unknown_step(id) if found is None else found


class _Told(Generic[K, V]):
    """What was put into words before, as long as it is the same object, which nobody changes."""

    def __init__(self, tell: Callable[[K], V], most: int) -> None:
        self._tell = tell
        self._most = most
        self._told: dict[int, tuple[K, V]] = {}

    def of(self, value: K) -> V:
        known = self._told.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        if len(self._told) >= self._most:
            self._told.clear()
        told = self._tell(value)
        self._told[id(value)] = (value, told)
        return told


def _encoded(value: Any) -> Any:
    return msgspec.Raw(msgspec.json.encode(value))


class DetailOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    created_at: Timestamp
    status: DetailStatus
    detail: str
    is_retry: bool
    is_test: bool
    provider_id: str | UnsetType = UNSET
    raw: str | UnsetType | None = UNSET
    source: DetailSource

    @classmethod
    def of(cls, detail: Detail, dialect: Dialect) -> "DetailOut":
        return cls(
            id=detail.id,
            created_at=iso(detail.at),
            status=detail.status,
            detail=detail.detail,
            is_retry=detail.is_retry,
            is_test=False,
            provider_id=dialect.spell(detail.provider_id) if detail.provider_id else UNSET,
            raw=UNSET if detail.raw is None else msgspec.json.encode(detail.raw).decode(),
            source=detail.source,
        )


_versions = _Told(_Ran, _VERSIONS_KEPT)


@cache
def _proofs(word: str) -> _Told[tuple[Detail, ...], Any]:
    """Most pages are read again and again, and what happened does not change."""
    dialect = Dialect(word)  # type: ignore[arg-type]
    return _Told(
        lambda details: _encoded([DetailOut.of(each, dialect) for each in details]), _PROOFS_KEPT
    )


class JobOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    type: str
    digest: dict[str, Any] | UnsetType = UNSET
    execution_details: list[DetailOut]
    step: ShownStepOut
    overrides: dict[str, Any] | UnsetType = UNSET
    payload: dict[str, Any] | UnsetType = UNSET
    provider_id: str
    status: str
    updated_at: Timestamp

    @classmethod
    def of(cls, job: Job, activity: Activity, ran: _Ran, dialect: Dialect) -> "JobOut":
        overrides: Any = unless_none(activity.overrides)
        payload: Any = unless_none(activity.payload)
        return cls(
            id=job.id,
            type=job.type,
            digest=job.digest if job.digest and "type" in job.digest else UNSET,
            execution_details=_proofs(dialect.word).of(job.details),
            step=ran.step(job.step_id),
            overrides=overrides,
            payload=payload,
            provider_id=dialect.spell(job.provider_id or OWN_PROVIDER),
            status=job.status,
            updated_at=iso(job.updated_at),
        )


class RecipientOut(Out, frozen=True, kw_only=True):
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    email: str | UnsetType = UNSET
    phone: str | UnsetType = UNSET
    subscriber_id: str
    id: Id = field(name="_id")

    @classmethod
    def of(cls, person: Person) -> "RecipientOut":
        return cls(
            first_name=unless_none(person.first_name),
            last_name=unless_none(person.last_name),
            email=unless_none(person.email),
            phone=unless_none(person.phone),
            subscriber_id=person.key,
            id=person.id,
        )


class CauseOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    name: str
    origin: str
    triggers: list[TriggerShapeOut]


class NotificationOut(Out, frozen=True):
    id: Id = field(name="_id")
    environment_id: Id = field(name="_environmentId")
    organization_id: Id = field(name="_organizationId")
    subscriber_id: Id = field(name="_subscriberId")
    transaction_id: str
    template_id: Id = field(name="_templateId")
    created_at: Timestamp
    updated_at: Timestamp
    channels: list[str]
    jobs: list[JobOut]
    tags: list[str]
    controls: dict[str, Any]
    to: dict[str, Any]
    topics: list[dict[str, str]]
    severity: Severity
    critical: bool
    digested_notification_id: Id | UnsetType = field(name="_digestedNotificationId", default=UNSET)
    subscriber: RecipientOut | UnsetType = UNSET
    template: CauseOut | UnsetType = UNSET
    payload: dict[str, Any] | UnsetType = UNSET
    context_keys: list[str] | UnsetType = UNSET

    @classmethod
    def of(cls, activity: Activity, scope: Scope, dialect: Dialect) -> "NotificationOut":
        notification = activity.notification
        ran = _versions.of(activity.definition)
        payload: Any = unless_none(activity.payload)
        return cls(
            notification.id,
            scope.environment_id,
            scope.organization_id,
            notification.subscriber_id,
            notification.transaction_id,
            notification.workflow_id,
            iso(notification.created_at),
            iso(activity.updated_at),
            list(notification.channels),
            [JobOut.of(job, activity, ran, dialect) for job in activity.jobs],
            list(notification.tags),
            ran.controls,
            notification.recipient,
            list(notification.topics),
            notification.severity,
            notification.critical,
            digested_notification_id=unless_none(activity.digested_into),
            subscriber=RecipientOut.of(activity.subscriber) if activity.subscriber else UNSET,
            template=_cause(activity, ran, dialect),
            payload=payload,
            context_keys=list(notification.context_keys) or UNSET,
        )


class NotificationPageOut(NumberedPageOut, frozen=True, kw_only=True):
    data: list[NotificationOut]


class LineOut(Out, frozen=True, kw_only=True):
    at: Timestamp
    status: str
    text: str
    reason: str | UnsetType = UNSET
    raw: Any = UNSET


class StepAccountOut(Out, frozen=True, kw_only=True):
    job_id: Id = field(name="_jobId")
    step_id: str
    type: str
    status: str
    provider_id: str | UnsetType = UNSET
    summary: str
    details: list[LineOut]

    @classmethod
    def of(cls, step: StepAccount, dialect: Dialect) -> "StepAccountOut":
        return cls(
            job_id=step.job_id,
            step_id=step.step_key,
            type=step.type,
            status=step.status,
            provider_id=dialect.spell(step.provider_id) if step.provider_id else UNSET,
            summary=step.summary,
            details=[
                LineOut(
                    at=iso(line.at),
                    status=line.status,
                    text=line.text,
                    reason=line.reason or UNSET,
                    raw=unless_none(line.raw),
                )
                for line in step.lines
            ],
        )


class AccountOut(Out, frozen=True, kw_only=True):
    """What happened, step by step, in sentences."""

    notification_id: Id = field(name="_notificationId")
    transaction_id: str
    workflow_version: int
    summary: str
    steps: list[StepAccountOut]

    @classmethod
    def of(cls, told: Account, dialect: Dialect) -> "AccountOut":
        return cls(
            notification_id=told.notification_id,
            transaction_id=told.transaction_id,
            workflow_version=told.workflow_version,
            summary=told.summary,
            steps=[StepAccountOut.of(step, dialect) for step in told.steps],
        )


class AgainOut(Out, frozen=True, kw_only=True):
    job_id: Id = field(name="_jobId")
    notification_id: Id = field(name="_notificationId")
    type: str

    @classmethod
    def of(cls, again: Again) -> "AgainOut":
        return cls(job_id=again.job_id, notification_id=again.notification_id, type=again.type)


class ReplayOut(Out, frozen=True, kw_only=True):
    """What will be tried again."""

    jobs: list[AgainOut]


@get("/v1/notifications", tags=_TAGS, summary="List triggered events")
async def list_notifications(
    request: Request[Any, Any, Any],
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    channels: Annotated[list[str] | None, QueryParameter()] = None,
    templates: Annotated[
        list[str] | None, QueryParameter(description="Workflows, by their `_id`.")
    ] = None,
    emails: Annotated[list[str] | None, QueryParameter()] = None,
    search: Annotated[
        str | None,
        QueryParameter(description="Deprecated: a subscriber's id, address, phone or full name."),
    ] = None,
    subscriber_ids: Annotated[list[str] | None, QueryParameter(name="subscriberIds")] = None,
    severity: Annotated[list[str] | None, QueryParameter()] = None,
    transaction_id: Annotated[list[str] | None, QueryParameter(name="transactionId")] = None,
    topic_key: Annotated[str | None, QueryParameter(name="topicKey")] = None,
    after: After = None,
    before: Before = None,
    page: Number = 0,
    limit: Limit = 10,
) -> NotificationPageOut:
    """Newest first. Of filters that name several values, one must match; all filters must."""
    number, offset, size = window(page, limit, LARGEST_LIMIT)
    first, last = span(after, before)
    keys, addresses = several(request, "subscriberIds"), several(request, "emails")
    people = None
    if keys or addresses or search:
        people = await notifications.subscribers_matching(
            conn, caller.scope, keys or (), addresses or (), search
        )
    filter = notifications.Filter(
        channels=several(request, "channels"),
        workflow_ids=several(request, "templates"),
        subscriber_ids=people,
        severities=several(request, "severity"),
        transaction_ids=several(request, "transactionId"),
        topic_key=topic_key or None,
        after=first,
        before=last,
    )
    found, more = await notifications.page(conn, caller.scope, filter, offset, size)
    return NotificationPageOut(
        has_more=more,
        page_size=size,
        page=number,
        data=[NotificationOut.of(each, caller.scope, dialect) for each in found],
    )


@get("/v1/notifications/{notificationId:str}", tags=_TAGS, summary="Read a triggered event")
async def get_notification(
    id: ById, conn: Conn, caller: ByCaller, dialect: InDialect
) -> NotificationOut:
    """One event for one subscriber, with its jobs and what happened to each."""
    found = await notifications.get(conn, caller.scope, id)
    return NotificationOut.of(found, caller.scope, dialect)


@get(
    "/v1/notifications/{notificationId:str}/explain",
    tags=_TAGS,
    summary="Explain a triggered event",
)
async def explain_notification(
    id: ById, conn: Conn, caller: ByCaller, dialect: InDialect
) -> AccountOut:
    """Tells step by step what was sent, what was not, and why."""
    found = await notifications.get(conn, caller.scope, id)
    return AccountOut.of(account(found), dialect)


@post(
    "/v1/notifications/{notificationId:str}/replay",
    tags=_TAGS,
    summary="Try failed steps again",
    status_code=200,
)
async def replay_notification(id: ById, tx: Tx, caller: ByCaller, world: InWorld) -> ReplayOut:
    """Gives every failed channel step of the event a new set of attempts, beginning now."""
    again = await actions.replay(tx, caller.scope, world, id)
    return ReplayOut(jobs=[AgainOut.of(each) for each in again])


def _cause(activity: Activity, ran: _Ran, dialect: Dialect) -> CauseOut | UnsetType:
    workflow = activity.workflow
    if workflow is None:
        return UNSET
    return CauseOut(
        id=workflow.id,
        name=workflow.name,
        origin=dialect.spell(workflow.origin),
        triggers=ran.triggers(workflow.key),
    )


HANDLERS = [list_notifications, get_notification, explain_notification, replay_notification]
