"""A test message through an integration: what the provider said, and what to do about it."""

from collections.abc import Mapping

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import integrations as actions
from tidings.hall.given import Conn, InDatabase, InWorld, Outbound
from tidings.providers import delivery
from tidings.providers.base import spoken
from tidings.providers.outcomes import Outcome, Result
from tidings.providers.trial import Trial, message_for
from tidings.storage import integrations
from tidings.storage.database import Connection
from tidings.web.form import Form
from tidings.web.handlers import change, view
from tidings.web.integrations import CHANNEL_NAMES, one_of
from tidings.web.visit import InVisit, Visit

SUBJECT = "Test message from Tidings"
CONTENT = "This is a test message. If you can read it, the integration works."

_SAID: Mapping[Outcome, tuple[str, str]] = {
    "sent": (
        "The provider took it",
        "Look whether it arrived. If it did not, look at the provider's own log for the message id "
        "below, and into the spam folder.",
    ),
    "bad_recipient": (
        "The recipient cannot work",
        "Check what you typed: an e-mail address needs a domain that takes mail, a phone number "
        "its country code (+49…), a device its present token.",
    ),
    "bad_request": (
        "The message or its target was refused",
        "Read the provider's words below. An address in your own network must be allowed first: "
        "add the network to TIDINGS_OUTBOUND_ALLOW and restart.",
    ),
    "bad_credentials": (
        "The provider does not accept the credentials",
        "Check them under Settings: the key and its permissions, whether the sender is verified "
        "there, and whether the account has credit. Until then the next integration of the channel "
        "is tried.",
    ),
    "throttled": (
        "The provider asks for a pause",
        "Too much was sent at once. Wait, then try again; workflows wait by themselves.",
    ),
    "retryable": (
        "The provider could not be reached, or is in trouble",
        "Check the host and port under Settings, and that this server may reach them through its "
        "firewall. If they are right, try again later; workflows do so by themselves.",
    ),
}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the test."""

    result: Result
    title: str
    remedy: str
    not_carried: list[str]

    @classmethod
    def of(cls, result: Result) -> "Verdict":
        title, remedy = _SAID[result.outcome]
        not_carried = [spoken(part) for part in result.dropped]
        return cls(result=result, title=title, remedy=remedy, not_carried=not_carried)

    @property
    def tone(self) -> str:
        return "good" if self.result.outcome == "sent" else "bad"


async def _trial(
    visit: Visit, conn: Connection, given: dict[str, str], verdict: Verdict | None = None
) -> Response[str]:
    shown, _ = await one_of(visit, conn, given["key"])
    return visit.page(
        "integrations/trial.html",
        title=f"{shown.integration.name}: test",
        tab="test",
        shown=shown,
        names=CHANNEL_NAMES,
        verdict=verdict,
        subject=SUBJECT,
        content=CONTENT,
    )


@view("/{environment:str}/integrations/{key:str}/test", role="editor")
async def show_trial(visit: InVisit, conn: Conn, key: FromPath[str]) -> Response[str]:
    return await _trial(visit, conn, {"key": key})


@change(
    "/{environment:str}/integrations/{key:str}/test",
    does="integration.test",
    again=_trial,
    own_transactions=True,
)
async def try_integration(
    visit: InVisit,
    database: InDatabase,
    network: Outbound,
    world: InWorld,
    key: FromPath[str],
) -> Response[str]:
    async with database.connection() as connection:
        found = await integrations.get(connection, visit.scope, world.sealer, key)
    provider = actions.provider_of(found.provider_id)
    message = message_for(provider, _asked(visit.form), world.ids.new(), found.credentials)
    result = await delivery.send(provider, found.credentials, message, network, world.clock.now())
    visit.touch(found.id, found.name, outcome=result.outcome)
    async with database.connection() as connection:
        return await _trial(visit, connection, {"key": key}, Verdict.of(result))


def _asked(form: Form) -> Trial:
    return Trial(
        to=form.text("to") or "",
        device_tokens=tuple(form.get("deviceTokens").split()),
        webhook_url=form.text("webhookUrl") or "",
        channel=form.text("channel") or "",
        subject=form.text("subject") or SUBJECT,
        content=form.text("content") or CONTENT,
    )


HANDLERS = [show_trial, try_integration]
