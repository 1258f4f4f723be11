"""Opening a session: who the subscriber is, and the token for everything else."""

from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Meta

from tidings.actions import sessions as actions
from tidings.actions.sessions import Rules
from tidings.domain.errors import InvalidError, Problem, RefusedError
from tidings.domain.inbox import LONGEST_SNOOZE, Severity, Unread
from tidings.domain.schedules import Schedule
from tidings.domain.subscribers import FIELDS, Profile, problems
from tidings.hall.given import InWorld, Tx
from tidings.hall.preferences import checked
from tidings.hall.wire import Out, camel
from tidings.inbox import tokens
from tidings.storage import inbox_counts

_KEYLESS = "pk_keyless_"
_HOUR = 3600

WithRules = NamedDependency[Rules]
"""`rules`: what the operator wants of sessions."""


class SubscriberIn(msgspec.Struct, kw_only=True, rename="camel"):
    subscriber_id: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    avatar: str | None = None
    locale: str | None = None
    timezone: str | None = None
    data: dict[str, Any] | None = None

    def profile(self) -> Profile:
        said = {name: getattr(self, name) or None for name in FIELDS}
        if "timezone" in problems({"timezone": said["timezone"]}):
            said["timezone"] = None  # browsers add theirs unasked, however old its name
        values: dict[str, Any] = {"key": self.subscriber_id.strip(), **said}
        if found := problems(values):
            raise InvalidError(
                {
                    f"subscriber.{_wire(name)}": Problem([why], values[name])
                    for name, why in found.items()
                }
            )
        return Profile(**values)


class SessionIn(msgspec.Struct, kw_only=True, rename="camel"):
    application_identifier: Annotated[
        str, Meta(description="The identifier of the environment.")
    ] = ""
    subscriber: SubscriberIn | str | None = None
    subscriber_id: Annotated[
        str | None, Meta(description="Instead of `subscriber`, from older clients.")
    ] = None
    subscriber_hash: Annotated[
        str | None,
        Meta(description="Hexadecimal HMAC-SHA256 of the subscriberId with the inbox secret."),
    ] = None

    default_schedule: Annotated[
        Schedule | None,
        Meta(description="When to be reached, for a subscriber that has not chosen yet."),
    ] = None

    def profile(self) -> Profile:
        given = self.subscriber or self.subscriber_id
        if given is None:
            raise InvalidError.of("subscriber", "is required: {subscriberId, ...}")
        return (SubscriberIn(subscriber_id=given) if isinstance(given, str) else given).profile()


class UnreadOut(Out, frozen=True, kw_only=True):
    total: int
    severity: dict[Severity, int]

    @classmethod
    def of(cls, unread: Unread) -> "UnreadOut":
        return cls(total=unread.total, severity={**unread.by_severity})


class SessionOut(Out, frozen=True, kw_only=True):
    token: str
    total_unread_count: int
    unread_count: UnreadOut
    remove_novu_branding: bool
    is_development_mode: bool
    max_snooze_duration_hours: int
    application_identifier: str


@post("/session", summary="Open a session")
async def open_session(
    data: JSONBody[SessionIn], tx: Tx, world: InWorld, rules: WithRules
) -> SessionOut:
    """Makes or updates the subscriber and answers the token that every other inbox operation needs
    as `Authorization: Bearer <token>`."""
    _refuse_keyless(data.application_identifier)
    opened = await actions.open_session(
        tx,
        world,
        rules,
        data.application_identifier,
        data.profile(),
        data.subscriber_hash or None,
        None if data.default_schedule is None else checked(data.default_schedule),
    )
    unread = (await inbox_counts.of(tx, [opened.subscriber.id]))[opened.subscriber.id].unread
    return SessionOut(
        token=tokens.sign(opened.key, opened.subscriber, world.clock.now(), rules.lifetime),
        total_unread_count=unread.total,
        unread_count=UnreadOut.of(unread),
        remove_novu_branding=True,
        is_development_mode=opened.environment.kind != "prod",
        max_snooze_duration_hours=int(LONGEST_SNOOZE.total_seconds()) // _HOUR,
        application_identifier=opened.environment.identifier,
    )


def _refuse_keyless(identifier: str) -> None:
    if not identifier or identifier.startswith(_KEYLESS):
        raise RefusedError(
            "There is no keyless mode here: send the identifier of an environment as "
            "applicationIdentifier; GET /v1/environments shows it.",
            applicationIdentifier=identifier,
        )


def _wire(name: str) -> str:
    return "subscriberId" if name == "key" else camel(name)


OPEN_HANDLERS = [open_session]
