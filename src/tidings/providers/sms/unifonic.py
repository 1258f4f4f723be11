"""Unifonic. https://docs.unifonic.com/docs/sending-your-first-sms-via-unifonic-api

It has HTTP statuses of its own. `success` comes as true or as the text "true", and the id under two
spellings. It can report by webhook, but what it sends could not be confirmed, so none is taken.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, first, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Form, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    SENT,
)


class Unifonic(SmsProvider):
    id = "unifonic"
    name = "Unifonic"
    docs = "https://docs.unifonic.com/docs/sending-your-first-sms-via-unifonic-api"
    credentials = (
        secret("appSid", "App SID", help="Console > Applications > the application."),
        need("senderId", "Sender id", help="Approved for the account."),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="success", among=(True, "true"))
    message_id = first(path("data.MessageID"), path("data.messageID"))
    sent_at = path("data.TimeCreated")
    reason = path("message")
    rules = (
        on(BAD_RECIPIENT, 410, 422, 482),
        on(BAD_CREDENTIALS, 401, 402, 403, 459, 480),
        on(BAD_REQUEST, 409, 412, 417, 421, 449),
        on(RETRYABLE, 499, 599),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://el.cloud.unifonic.com/rest/SMS/messages",
            headers={"Accept": "application/json"},
            body=Form(
                {
                    "AppSid": credentials.app_sid,
                    "SenderID": message.from_ or credentials.sender_id,
                    "Recipient": digits(message.to),
                    "Body": message.content,
                    "responseType": "JSON",
                    "CorrelationID": message.id,
                }
            ),
        )
