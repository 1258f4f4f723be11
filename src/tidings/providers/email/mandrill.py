"""Mandrill, now Mailchimp Transactional. https://mailchimp.com/developer/transactional/api/messages/

Errors come with the status 500 whoever is at fault; their name tells.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    by_target,
    files,
    from_address,
    from_name,
    given,
    inline,
    on,
    path,
    person,
    strings,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, form, objects
from tidings.providers.exchange import Json, Request, Response, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    SENT,
    Event,
    Outcome,
    Result,
    Verdict,
)
from tidings.providers.signing import hmac_base64, same

_REJECTED: Mapping[str, Outcome] = {
    "invalid-sender": BAD_CREDENTIALS,
    "unsigned": BAD_CREDENTIALS,
    "test-mode-limit": BAD_REQUEST,
    "rule": BAD_REQUEST,
}

_EVENTS = Events(
    name="event",
    names={
        "send": "sent",
        "deferral": "deferred",
        "delivered": "delivered",
        "hard_bounce": "bounced",
        "soft_bounce": "soft_bounced",
        "reject": "rejected",
        "open": "opened",
        "click": "clicked",
        "spam": "complained",
        "unsub": "unsubscribed",
    },
    message_id=("_id", "msg._id"),
    at=("ts",),
    target=("msg.email",),
    reason=("msg.diag", "msg.bounce_description", "msg.reject.reason"),
)


class Mandrill(EmailProvider):
    id = "mandrill"
    name = "Mandrill"
    docs = "https://mailchimp.com/developer/transactional/api/messages/send-new-message/"
    credentials = (
        secret("apiKey", "API key", help="Mandrill > Settings > SMTP & API info."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "The key of the webhook: Mandrill > Settings > Webhooks > View key."
    reason = path("message")
    rules = (
        on(BAD_CREDENTIALS, at="name", like=r"Invalid_Key|PaymentRequired|Unknown_Subaccount"),
        on(RETRYABLE, at="name", like=r"GeneralError|ServiceUnavailable"),
        on(BAD_REQUEST, at="name"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        groups = (("to", message.to), ("cc", message.cc), ("bcc", message.bcc))
        headers = dict(message.headers)
        if message.reply_to:
            headers["Reply-To"] = message.reply_to
        mail = given(
            from_email=from_address(message, credentials),
            from_name=from_name(message, credentials),
            subject=message.subject,
            text=message.text,
            html=message.html,
            to=[{**person(each), "type": kind} for kind, group in groups for each in group],
            headers=headers,
            attachments=[
                {"type": a.mime, "name": a.name, "content": b64(a.content)} for a in files(message)
            ],
            images=[
                {"type": a.mime, "name": a.cid, "content": b64(a.content)} for a in inline(message)
            ],
            metadata=strings(message.custom_data),
            preserve_recipients=True,
        )
        body = given(key=credentials.api_key, message=mail, ip_pool=message.ip_pool)
        return Request(
            url="https://mandrillapp.com/api/1.0/messages/send.json",
            body=Json({**body, "async": False}),
        )

    def parse_response(self, response: Response) -> Result:
        told = objects(response.json())
        if response.status == 200 and any("status" in each and "email" in each for each in told):
            return by_target([_verdict(each) for each in told], response.status)
        result = super().parse_response(response)
        if result.outcome == SENT:
            return Result(outcome=BAD_REQUEST, reason=response.text()[:500], status=response.status)
        return result

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        fields = form(webhook)
        signed = webhook.url + "".join(name + fields[name] for name in sorted(fields))
        expected = hmac_base64(signing_key, signed.encode(), "sha1")
        return bool(signing_key) and same(webhook.headers.get("x-mandrill-signature", ""), expected)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        try:
            told = msgspec.json.decode(form(webhook).get("mandrill_events", ""))
        except msgspec.DecodeError:
            return []
        return _EVENTS.read(objects(told))


def _verdict(told: Mapping[str, Any]) -> Verdict:
    target, why = str(told.get("email")), str(told.get("reject_reason") or "")
    if told.get("status") in ("sent", "queued", "scheduled"):
        return Verdict(target=target, outcome=SENT, id=str(told.get("_id") or "") or None)
    reason = f"{told.get('status')}: {why}" if why else str(told.get("status"))
    return Verdict(target=target, outcome=_REJECTED.get(why, BAD_RECIPIENT), reason=reason)
