"""Twilio. https://www.twilio.com/docs/messaging/api/message-resource

Reports are signed with the account's auth token, which is the signing key of the integration.
The list of error codes is not complete; other codes are judged by their HTTP status.
"""

from urllib.parse import urlsplit

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, e164, from_number, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.events import Events, form
from tidings.providers.exchange import Form, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    RETRYABLE,
    THROTTLED,
    Event,
)
from tidings.providers.reports import word
from tidings.providers.signing import hmac_base64, same

_EVENTS = Events(
    name=word("MessageStatus"),
    names={
        "accepted": "queued",
        "queued": "queued",
        "sending": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "undelivered": "failed",
        "failed": "failed",
        "canceled": "dropped",
        "read": "read",
    },
    message_id=("MessageSid",),
    target=("To",),
    reason=("ErrorMessage", "ErrorCode"),
)


class Twilio(SmsProvider):
    id = "twilio"
    name = "Twilio"
    docs = "https://www.twilio.com/docs/messaging/api/message-resource"
    credentials = (
        need("accountSid", "Account SID", help="Console > Account info; begins with AC."),
        secret("token", "Auth token", help="Console > Account info, below the SID."),
        need("from", "From", format="sender", help="A number, a name or a service (MG...)."),
    )
    webhook_key = "The account's auth token, which is also the credential."
    cannot = frozenset({"custom_data"})
    message_id = path("sid")
    sent_at = path("date_created")
    reason = path("message")
    rules = (
        on(BAD_RECIPIENT, at="code", among=(21211, 21408, 21610, 21612, 21614)),
        on(BAD_CREDENTIALS, at="code", among=(20003, 21606, 21608, 21659)),
        on(THROTTLED, at="code", among=(14107, 20429)),
        on(RETRYABLE, at="code", among=(30001,)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        sender = from_number(message, credentials)
        field = "MessagingServiceSid" if sender.startswith("MG") else "From"
        return Request(
            url="https://api.twilio.com/2010-04-01/Accounts/"
            f"{credentials.account_sid}/Messages.json",
            headers=basic(credentials.account_sid, credentials.token),
            body=Form({"To": e164(message.to), "Body": message.content, field: sender}),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        said = webhook.headers.get("x-twilio-signature", "")
        fields = "".join(name + value for name, value in sorted(form(webhook).items()))
        made = (hmac_base64(signing_key, (url + fields).encode(), "sha1") for url in _urls(webhook))
        return bool(signing_key) and any(same(said, each) for each in made)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([form(webhook)])


def _urls(webhook: Webhook) -> list[str]:
    """Twilio signs the address with or without the usual port, whichever it was given."""
    parts = urlsplit(webhook.url)
    port = {"https": ":443", "http": ":80"}.get(parts.scheme, "")
    bare = parts.netloc.removesuffix(port)
    return [parts._replace(netloc=place).geturl() for place in (bare, bare + port)]
