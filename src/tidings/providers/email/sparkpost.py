"""SparkPost, now of Bird. https://developers.sparkpost.com/api/transmissions/"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    files,
    first,
    from_address,
    from_name,
    given,
    inline,
    on,
    path,
    person,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import Attachment, EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, THROTTLED, Event
from tidings.providers.signing import knows_secret

_SOFT = frozenset({"20", "21", "22", "23", "24", "70"})
"""https://support.sparkpost.com/docs/deliverability/bounce-classification-codes"""


def _name(entry: Mapping[str, Any]) -> Any:
    bounced = entry.get("type") in ("bounce", "out_of_band")
    soft = bounced and str(entry.get("bounce_class")) in _SOFT
    return "soft bounce" if soft else entry.get("type")


_EVENTS = Events(
    name=_name,
    names={
        "injection": "queued",
        "delivery": "delivered",
        "delay": "deferred",
        "bounce": "bounced",
        "out_of_band": "bounced",
        "soft bounce": "soft_bounced",
        "policy_rejection": "rejected",
        "generation_rejection": "rejected",
        "generation_failure": "failed",
        "spam_complaint": "complained",
        "open": "opened",
        "initial_open": "opened",
        "click": "clicked",
        "list_unsubscribe": "unsubscribed",
        "link_unsubscribe": "unsubscribed",
    },
    message_id=("transmission_id",),
    at=("timestamp",),
    id=("event_id",),
    target=("rcpt_to",),
    reason=("reason", "raw_reason"),
)


class SparkPost(EmailProvider):
    id = "sparkpost"
    name = "SparkPost"
    docs = "https://developers.sparkpost.com/api/transmissions/"
    credentials = (
        secret("apiKey", "API key", help="Configuration > API Keys; with Transmissions write."),
        FROM_EMAIL,
        SENDER_NAME,
        may("region", "Region", help="`eu` for an account in the EU; otherwise leave it empty."),
    )
    webhook_key = (
        "A long random text of yours; enter it in SparkPost as the password of the webhook's "
        "basic authentication."
    )
    accepted = on(SENT, at="results.total_accepted_recipients")
    message_id = path("results.id")
    reason = first(path("errors.0.description"), path("errors.0.message"))
    rules = (
        on(THROTTLED, 420),
        on(BAD_RECIPIENT, 200, at="results.total_rejected_recipients"),
        on(BAD_RECIPIENT, 400, 422, at="errors.0.code", among=(5002, 5005)),
        on(BAD_RECIPIENT, 400, 422, at="errors.0.message", like=r"\brecipient"),
        on(BAD_CREDENTIALS, 400, 422, at="errors.0.message", like=r"sending domain"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        eu = credentials.region.lower() in ("eu", "true")
        to_line = ", ".join(message.to)
        copies = (*message.cc, *message.bcc)
        headers = dict(message.headers)
        if message.cc:
            headers["CC"] = ", ".join(message.cc)
        content = given(
            from_=person(from_address(message, credentials), from_name(message, credentials)),
            subject=message.subject,
            text=message.text,
            html=message.html,
            reply_to=message.reply_to,
            headers=headers,
            attachments=[_file(a, a.name) for a in files(message)],
            inline_images=[_file(a, a.cid or "") for a in inline(message)],
        )
        body = given(
            recipients=[
                *({"address": {**person(each), "header_to": to_line}} for each in message.to),
                *(
                    {"address": {"email": person(each)["email"], "header_to": to_line}}
                    for each in copies
                ),
            ],
            content=content,
            metadata={**message.custom_data, "id": message.id},
            options=given(transactional=True, ip_pool=message.ip_pool),
        )
        return Request(
            url=f"https://api.{'eu.' if eu else ''}sparkpost.com/api/v1/transmissions",
            headers={"Authorization": credentials.api_key},
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        """Each entry lies in an object named for its class; a ping has none."""
        outer = [each.get("msys") for each in entries(webhook)]
        inner = [
            event
            for one in outer
            if isinstance(one, Mapping)
            for event in one.values()
            if isinstance(event, Mapping)
        ]
        return _EVENTS.read(inner)


def _file(a: Attachment, name: str) -> dict[str, str]:
    return {"name": name, "type": a.mime, "data": b64(a.content)}
