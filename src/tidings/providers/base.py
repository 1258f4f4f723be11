"""What every vendor file fills in.

A vendor is a class with facts (id, name, credentials, what it cannot carry) and pure functions:
`build_request` and `parse_response` for the usual single call, `converse` for vendors that need
several, `verify_webhook` and `parse_webhook` for what they report later.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.integrations import Credentials
from tidings.providers.blocks import Reader, Rule, judge, nothing
from tidings.providers.credentials import Field
from tidings.providers.exchange import Conversation, Request, Response, Webhook
from tidings.providers.messages import (
    ChatMessage,
    EmailMessage,
    InAppMessage,
    Message,
    PushMessage,
    SmsMessage,
)
from tidings.providers.outcomes import Event, Result

M = TypeVar("M", bound=Message)

TEXT_BESIDE_HTML = "text beside html"
INLINE = "inline attachments"
_SPOKEN = {"ip_pool": "IP pool", "from_": "sender", TEXT_BESIDE_HTML: "a text beside the HTML"}


def spoken(part: str) -> str:
    """A part of a message in words for people."""
    return _SPOKEN.get(part, part.replace("_", " "))


class Provider(Generic[M]):
    id: ClassVar[str]
    """As the interface spells it, with `svc` for the service's own word."""
    name: ClassVar[str]
    channel: ClassVar[Channel]
    docs: ClassVar[str]
    """The vendor's page that the file was written from, or a page of ours for our own formats."""
    credentials: ClassVar[Sequence[Field]] = ()
    single: ClassVar[bool] = False
    """An environment has at most one of it."""
    optional: ClassVar[tuple[str, ...]] = ()
    """The parts of a message of this channel that a vendor may have no place for."""
    cannot: ClassVar[frozenset[str]] = frozenset()
    """Those that this vendor cannot carry."""
    tested: ClassVar[str] = ""
    """How it was tested beside the fake that was written from the vendor's page."""

    accepted: ClassVar[Rule | None] = None
    """What must hold beside a status of 2xx, for vendors that report failures inside a success."""
    message_id: ClassVar[Reader] = nothing
    sent_at: ClassVar[Reader] = nothing
    reason: ClassVar[Reader] = nothing
    """Where the vendor's error text stands."""
    rules: ClassVar[Sequence[Rule]] = ()
    """The vendor's errors as our outcomes, first match first; then the common table holds."""
    receipt_after: ClassVar[timedelta | None] = None
    """When to ask for receipts, for vendors that keep them instead of reporting."""
    webhook_key: ClassVar[str] = ""
    """What to enter as signing key for the vendor's webhooks, and where the vendor shows it."""

    def build_request(self, message: M, credentials: Credentials) -> Request:
        raise NotImplementedError

    def parse_response(self, response: Response) -> Result:
        return judge(
            response,
            accepted=self.accepted,
            rules=self.rules,
            message_id=self.message_id,
            sent_at=self.sent_at,
            reason=self.reason,
        )

    def converse(self, message: M, credentials: Credentials) -> Conversation:
        """All the calls of one send. Yields what to ask and receives what came back."""
        response = yield self.build_request(message, credentials)
        return self.verdict(response, credentials)

    def verdict(self, response: Response, credentials: Credentials) -> Result:
        """For vendors whose answers the credentials describe."""
        return self.parse_response(response)

    def split(self, message: M) -> list[M]:
        """The messages that this one becomes for a vendor that takes fewer targets at once."""
        return [message]

    def targets(self, message: M) -> tuple[str, ...]:
        """Whom a message goes to, for a verdict on each."""
        return ()

    def parts(self, message: M) -> frozenset[str]:
        """The optional parts that this message makes use of."""
        return frozenset(name for name in self.optional if getattr(message, name, None))

    def dropped(self, message: M) -> tuple[str, ...]:
        return tuple(sorted(self.parts(message) & self.cannot))

    def ask_receipts(self, ids: Sequence[str], credentials: Credentials) -> Request:
        """For vendors with `receipt_after`."""
        raise NotImplementedError

    def parse_receipts(self, response: Response) -> list[Event]:
        """Those that are ready; the others are asked for again."""
        return []

    def needs(self, webhook: Webhook) -> Request | None:
        """What must be fetched before the webhook can be verified; it comes as `fetched`."""
        return None

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        """Whether the vendor itself sent this; False for vendors that do not sign."""
        return False

    def confirms(self, webhook: Webhook) -> Request | None:
        """The call by which a verified webhook wants to hear that it is welcome."""
        return None

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        """What the vendor reports; nothing for vendors that do not."""
        return []

    def answer_webhook(self, webhook: Webhook, signing_key: str) -> Response | None:
        """The answer to a call that only makes sure of us, as vendors do when a webhook is
        registered; None for a report. Asked before `verify_webhook`: it checks what it must."""
        return None

    @classmethod
    def takes_webhooks(cls) -> bool:
        return cls.parse_webhook is not Provider.parse_webhook


class EmailProvider(Provider[EmailMessage]):
    channel = "email"
    optional = (
        "text",
        "html",
        TEXT_BESIDE_HTML,
        "sender_name",
        "cc",
        "bcc",
        "reply_to",
        "headers",
        "attachments",
        INLINE,
        "ip_pool",
        "custom_data",
    )

    def targets(self, message: EmailMessage) -> tuple[str, ...]:
        return message.to

    def parts(self, message: EmailMessage) -> frozenset[str]:
        used = set(super().parts(message))
        if any(attachment.cid for attachment in message.attachments):
            used.add(INLINE)
        if message.text and message.html:
            used.add(TEXT_BESIDE_HTML)
        return frozenset(used)


class SmsProvider(Provider[SmsMessage]):
    channel = "sms"
    optional = ("from_", "custom_data")

    def targets(self, message: SmsMessage) -> tuple[str, ...]:
        return (message.to,)


class PushProvider(Provider[PushMessage]):
    channel = "push"
    optional = ("title", "payload")
    batch: ClassVar[int] = 1
    """How many targets one call takes."""

    def targets(self, message: PushMessage) -> tuple[str, ...]:
        return message.targets

    def split(self, message: PushMessage) -> list[PushMessage]:
        targets = message.targets
        return [
            msgspec.structs.replace(message, targets=targets[start : start + self.batch])
            for start in range(0, len(targets), self.batch)
        ]


class ChatProvider(Provider[ChatMessage]):
    channel = "chat"
    optional = ("blocks", "custom_data", "channel")

    def targets(self, message: ChatMessage) -> tuple[str, ...]:
        return (message.webhook_url or message.phone or message.channel or "",)


class InAppProvider(Provider[InAppMessage]):
    channel = "in_app"


AnyProvider = Provider[Any]
