"""Telnyx. https://developers.telnyx.com/api/messaging/send-message

Reports are signed with Ed25519; the signing key of the integration is the account's public key
in base64. The list of error codes is not complete; others are judged by their HTTP status.
"""

from datetime import timedelta

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import bearer, e164, first, from_number, moment, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, THROTTLED, Event
from tidings.providers.reports import word
from tidings.providers.signing import from_base64, is_ed25519, is_recent

_WINDOW = timedelta(minutes=5)
_EVENTS = Events(
    name=word("payload.to.0.status"),
    names={
        "queued": "queued",
        "sending": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "delivery_unconfirmed": "sent",
        "sending_failed": "failed",
        "delivery_failed": "failed",
    },
    message_id=("payload.id",),
    at=("occurred_at",),
    id=("id",),
    target=("payload.to.0.phone_number",),
    reason=("payload.errors.0.detail",),
)


class Telnyx(SmsProvider):
    id = "telnyx"
    name = "Telnyx"
    docs = "https://developers.telnyx.com/api/messaging/send-message"
    credentials = (
        secret("apiKey", "API key", help="Mission Control > Keys & Credentials > API keys."),
        need(
            "messageProfileId",
            "Message profile id",
            help="Mission Control > Messaging > Programmable messaging > the profile.",
        ),
        FROM_PHONE,
    )
    webhook_key = "The account's public key: Mission Control > Keys & Credentials > Public key."
    cannot = frozenset({"custom_data"})
    message_id = path("data.id")
    sent_at = path("data.received_at")
    reason = first(path("errors.0.detail"), path("errors.0.title"))
    rules = (
        on(BAD_RECIPIENT, at="errors.0.code", among=(40001, 40300, 40310)),
        on(BAD_CREDENTIALS, at="errors.0.code", among=(10009, 20100, 40013, 40305)),
        on(THROTTLED, at="errors.0.code", among=(10011,)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.telnyx.com/v2/messages",
            headers=bearer(credentials.api_key),
            body=Json(
                {
                    "to": e164(message.to),
                    "from": from_number(message, credentials),
                    "text": message.content,
                    "messaging_profile_id": credentials.message_profile_id,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        timestamp = webhook.headers.get("telnyx-timestamp", "")
        signature = from_base64(webhook.headers.get("telnyx-signature-ed25519", ""))
        key = from_base64(signing_key)
        if (
            not key
            or len(key) != 32
            or not signature
            or not is_recent(webhook, moment(timestamp), _WINDOW)
        ):
            return False
        return is_ed25519(key, signature, timestamp.encode() + b"|" + webhook.body)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook, "data"))
