"""BulkSMS. https://www.bulksms.com/developer/json/v1/

Reports are not signed: the key must stand in the address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import b64, e164, first, from_number, given, on, path
from tidings.providers.credentials import may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("status.type"),
    names={
        "accepted": "queued",
        "scheduled": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "failed": "failed",
        "unknown": "sent",
    },
    message_id=("id",),
    target=("to",),
    reason=("status.subtype",),
)


class BulkSms(SmsProvider):
    id = "bulk-sms"
    name = "BulkSMS"
    docs = "https://www.bulksms.com/developer/json/v1/"
    credentials = (
        secret("apiToken", "API token", help="As tokenId:tokenSecret."),
        may(
            "from",
            "From",
            format="sender",
            help="An approved sender; empty for the default of the account.",
        ),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address BulkSMS calls."
    cannot = frozenset({"custom_data"})
    message_id = path("0.id")
    sent_at = path("0.submission.date")
    reason = first(path("detail"), path("title"))
    rules = (on(BAD_RECIPIENT, 400, at="detail", like="'to'|recipient|destination|phone number"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.bulksms.com/v1/messages",
            query={"auto-unicode": "true"},
            headers={"Authorization": f"Basic {b64(credentials.api_token.encode())}"},
            body=Json(
                given(
                    to=e164(message.to),
                    body=message.content,
                    from_=from_number(message, credentials),
                    userSuppliedId=message.id,
                )
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
