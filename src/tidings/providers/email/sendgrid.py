"""SendGrid. https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send"""

from collections.abc import Iterable
from datetime import timedelta

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    bearer,
    from_address,
    from_name,
    given,
    header,
    moment,
    on,
    path,
    people,
    person,
    strings,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Event
from tidings.providers.signing import is_ecdsa, is_recent

_RETRIES = timedelta(hours=25)
"""SendGrid repeats an event for a day; repetition is noticed by the event's id."""

_EVENTS = Events(
    name=lambda entry: "blocked" if entry.get("type") == "blocked" else entry.get("event"),
    names={
        "processed": "queued",
        "deferred": "deferred",
        "delivered": "delivered",
        "open": "opened",
        "click": "clicked",
        "bounce": "bounced",
        "blocked": "soft_bounced",
        "dropped": "dropped",
        "spamreport": "complained",
        "unsubscribe": "unsubscribed",
        "group_unsubscribe": "unsubscribed",
    },
    message_id=("id", "sg_message_id"),  # `id` is ours, sent as a custom argument
    at=("timestamp",),
    id=("sg_event_id",),
    target=("email",),
    reason=("reason", "response"),
)


class SendGrid(EmailProvider):
    id = "sendgrid"
    name = "SendGrid"
    docs = "https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send"
    credentials = (
        secret("apiKey", "API key", help="Settings > API Keys; it needs Mail Send access."),
        FROM_EMAIL,
        SENDER_NAME,
        may("ipPoolName", "IP pool", help="Of dedicated addresses: Settings > IP Addresses."),
        may("region", "Region", help="`eu` for a subuser in the EU; otherwise leave it empty."),
    )
    webhook_key = "The verification key: Settings > Mail Settings > Event Webhooks, signed events."
    message_id = header("x-message-id")
    sent_at = header("date")
    reason = path("errors.0.message")
    rules = (on(BAD_RECIPIENT, 400, at="errors.0.field", like=r"^personalizations\..*(to|cc)\b"),)

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        host = "api.eu.sendgrid.com" if credentials.region == "eu" else "api.sendgrid.com"
        seen: set[str] = set()
        content = [("text/plain", message.text), ("text/html", message.html)]
        body = given(
            personalizations=[
                given(
                    to=_once(message.to, seen),
                    cc=_once(message.cc, seen),
                    bcc=_once(message.bcc, seen),
                )
            ],
            from_=person(from_address(message, credentials), from_name(message, credentials)),
            reply_to=person(message.reply_to) if message.reply_to else None,
            subject=message.subject,
            content=[{"type": mime, "value": value} for mime, value in content if value],
            headers=dict(message.headers),
            attachments=[
                given(
                    content=b64(a.content),
                    type=a.mime,
                    filename=a.name,
                    disposition="inline" if a.cid else "attachment",
                    content_id=a.cid,
                )
                for a in message.attachments
            ],
            custom_args={**strings(message.custom_data), "id": message.id},
            ip_pool_name=message.ip_pool or credentials.ip_pool_name,
        )
        return Request(
            url=f"https://{host}/v3/mail/send", headers=bearer(credentials.api_key), body=Json(body)
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        stamp = webhook.headers.get("x-twilio-email-event-webhook-timestamp", "")
        signature = webhook.headers.get("x-twilio-email-event-webhook-signature", "")
        return is_recent(webhook, moment(stamp), _RETRIES) and is_ecdsa(
            signing_key, signature, stamp.encode() + webhook.body
        )

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        # Their message id goes on after the first dot; ours has none.
        return [
            msgspec.structs.replace(event, message_id=event.message_id.partition(".")[0])
            for event in _EVENTS.read(entries(webhook))
        ]


def _once(addresses: Iterable[str], seen: set[str]) -> list[dict[str, str]]:
    """SendGrid refuses a message that names an address twice."""
    unique = []
    for each in people(addresses):
        if each["email"].lower() not in seen:
            seen.add(each["email"].lower())
            unique.append(each)
    return unique
