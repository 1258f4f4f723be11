"""WhatsApp Business, the Cloud API. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages

Custom data may hold one of Meta's kinds of message instead of text, such as `template`. Reports
are signed with the app secret, which is the signing key; the same key is the verify token
to give when the webhook is registered. The list of error codes is not complete.
"""

from tidings.domain.conditions import at_path
from tidings.domain.integrations import Credentials
from tidings.providers.base import ChatProvider
from tidings.providers.blocks import bearer, digits, first, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.events import Events, entries, objects
from tidings.providers.exchange import Conversation, Json, Request, Response, Webhook
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    THROTTLED,
    Event,
    Result,
)
from tidings.providers.reports import word
from tidings.providers.signing import hmac_hex, same

_VERSION = "v22.0"
_KINDS = (
    "template",
    "interactive",
    "image",
    "document",
    "video",
    "audio",
    "location",
    "contacts",
    "sticker",
)
_CODE = path("error.code")
_EVENTS = Events(
    name=word("status"),
    names={"sent": "sent", "delivered": "delivered", "read": "read", "failed": "failed"},
    message_id=("id",),
    at=("timestamp",),
    target=("recipient_id",),
    reason=("errors.0.title",),
)


class WhatsAppBusiness(ChatProvider):
    id = "whatsapp-business"
    name = "WhatsApp Business"
    docs = "https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages"
    credentials = (
        secret(
            "apiToken",
            "Access token",
            help="Meta for Developers > the app > WhatsApp > API setup; of a system user for good.",
        ),
        need(
            "phoneNumberIdentification",
            "Phone number id",
            help="Meta for Developers > the app > WhatsApp > API setup.",
        ),
    )
    webhook_key = "The app secret: App settings > Basic; give it as verify token too."
    cannot = frozenset({"blocks", "channel"})
    message_id = path("messages.0.id")
    reason = first(path("error.error_data.details"), path("error.message"))
    rules = (
        on(BAD_RECIPIENT, at=_CODE, among=(131021, 131026, 131030)),
        on(BAD_REQUEST, at=_CODE, like="^132|^131047$"),
        on(BAD_CREDENTIALS, at=_CODE, among=(10, 190, 200, 131031, 131042)),
        on(THROTTLED, at=_CODE, among=(4, 80007, 130429, 131048, 131056)),
        on(RETRYABLE, at=_CODE, among=(1, 2, 131000, 131016)),
    )

    def targets(self, message: ChatMessage) -> tuple[str, ...]:
        return (message.phone or "",)

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        kind = next((kind for kind in _KINDS if kind in message.custom_data), "text")
        text = {"body": message.content, "preview_url": False}
        number = credentials.phone_number_identification
        return Request(
            url=f"https://graph.facebook.com/{_VERSION}/{number}/messages",
            headers=bearer(credentials.api_token),
            body=Json(
                {
                    "messaging_product": "whatsapp",
                    "recipient_type": "individual",
                    "to": digits(message.phone or ""),
                    "type": kind,
                    kind: message.custom_data.get(kind, text),
                }
            ),
        )

    def converse(self, message: ChatMessage, credentials: Credentials) -> Conversation:
        if not message.phone:
            return Result(outcome=BAD_RECIPIENT, reason="The subscriber has no phone number.")
        return (yield from super().converse(message, credentials))

    def answer_webhook(self, webhook: Webhook, signing_key: str) -> Response | None:
        if webhook.query.get("hub.mode") != "subscribe":
            return None
        if not signing_key or not same(webhook.query.get("hub.verify_token", ""), signing_key):
            return Response(status=403)
        challenge = webhook.query.get("hub.challenge", "").encode()
        return Response(status=200, headers={"content-type": "text/plain"}, body=challenge)

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        said = webhook.headers.get("x-hub-signature-256", "")
        return bool(signing_key) and same(said, "sha256=" + hmac_hex(signing_key, webhook.body))

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        changes = [
            change
            for entry in entries(webhook, "entry")
            for change in objects(entry.get("changes"))
        ]
        return [
            event
            for change in changes
            for event in _EVENTS.read(objects(at_path(change, "value.statuses")))
        ]
