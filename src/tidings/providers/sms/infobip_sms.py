"""Infobip SMS. https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages

Reports are not signed unless a subscription says so; the key must be the password of its Basic
authentication, or stand in the address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import address, digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_NAME = path("messages.0.status.name")
_EVENTS = Events(
    name=word("status.groupName"),
    names={
        "pending": "sent",
        "delivered": "delivered",
        "undeliverable": "failed",
        "expired": "failed",
        "rejected": "rejected",
    },
    message_id=("messageId",),
    at=("doneAt",),
    target=("to", "destination"),
    reason=("status.description",),
)


class InfobipSms(SmsProvider):
    id = "infobip-sms"
    name = "Infobip SMS"
    docs = "https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages"
    credentials = (
        secret("apiKey", "API key", help="Portal > Developer tools > API keys."),
        need("baseUrl", "Base URL", help="Of your account: xxxxx.api.infobip.com."),
        FROM_PHONE,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Infobip SMS calls."
    cannot = frozenset({"custom_data"})
    accepted = on(
        SENT, at="messages.0.status.groupName", like="^(?!UNDELIVERABLE|EXPIRED|REJECTED)"
    )
    message_id = path("messages.0.messageId")
    reason = first(
        path("requestError.serviceException.text"), path("messages.0.status.description")
    )
    rules = (
        on(
            BAD_CREDENTIALS,
            200,
            at=_NAME,
            like="NOT_ENOUGH_CREDITS|REJECTED_SENDER|REJECTED_SOURCE",
        ),
        on(BAD_RECIPIENT, 200, at=_NAME, like="DESTINATION|PREFIX_MISSING|UNDELIVERABLE"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        one = {
            "sender": from_number(message, credentials),
            "destinations": [{"to": digits(message.to)}],
            "content": {"text": message.content},
        }
        return Request(
            url=f"{address(credentials.base_url)}/sms/3/messages",
            headers={"Authorization": f"App {credentials.api_key}"},
            body=Json({"messages": [one]}),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook, "results"))
