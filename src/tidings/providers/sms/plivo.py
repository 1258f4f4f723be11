"""Plivo. https://www.plivo.com/docs/messaging/api/message

Reports are signed (V3) with the account's auth token, which is the signing key.
"""

from urllib.parse import parse_qsl, urlsplit

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events, form
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, Event
from tidings.providers.reports import fields, word
from tidings.providers.signing import hmac_base64, same

_EVENTS = Events(
    name=word("Status"),
    names={
        "queued": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "undelivered": "failed",
        "failed": "failed",
        "rejected": "rejected",
        "read": "read",
    },
    message_id=("MessageUUID",),
    target=("To",),
    reason=("ErrorCode",),
)


class Plivo(SmsProvider):
    id = "plivo"
    name = "Plivo"
    docs = "https://www.plivo.com/docs/messaging/api/message"
    credentials = (
        need("accountSid", "Auth id", help="Console > Overview."),
        secret("token", "Auth token", help="Console > Overview, beside the auth id."),
        FROM_PHONE,
    )
    webhook_key = "The account's auth token, which is also the credential."
    cannot = frozenset({"custom_data"})
    message_id = path("message_uuid.0")
    reason = first(path("error"), path("message"))
    rules = (
        on(BAD_RECIPIENT, 400, at="error", like=r"\bdst\b|destination"),
        on(BAD_CREDENTIALS, 400, at="error", like=r"\bsrc\b"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"https://api.plivo.com/v1/Account/{credentials.account_sid}/Message/",
            headers=basic(credentials.account_sid, credentials.token),
            body=Json(
                {
                    "src": from_number(message, credentials),
                    "dst": digits(message.to),
                    "text": message.content,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        nonce = webhook.headers.get("x-plivo-signature-v3-nonce", "")
        made = hmac_base64(signing_key, f"{_signed(webhook)}.{nonce}".encode())
        said = webhook.headers.get("x-plivo-signature-v3", "").split(",")
        return bool(signing_key and nonce) and any(same(each, made) for each in said)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([fields(webhook)])


def _signed(webhook: Webhook) -> str:
    """The address with its query sorted; after it, for a form, a dot and the sorted fields."""
    url = urlsplit(webhook.url)
    pairs = parse_qsl(url.query, keep_blank_values=True)
    query = "&".join(f"{name}={value}" for name, value in sorted(pairs))
    fields = "".join(name + value for name, value in sorted(form(webhook).items()))
    place = url._replace(query="", fragment="").geturl()
    if not fields:
        return f"{place}?{query}" if query else place
    return f"{place}?{query}.{fields}" if query else f"{place}?{fields}"
