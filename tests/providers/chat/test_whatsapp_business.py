"""WhatsApp: a fake written from its page, and what it reports."""

import hashlib
import hmac
from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.chat.whatsapp_business import WhatsAppBusiness
from tidings.providers.delivery import send
from tidings.providers.exchange import Json, Response, Webhook
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiToken": "token-000001", "phoneNumberIdentification": "1060001"}
SENT = Response(status=200, body=b'{"messaging_product":"whatsapp","messages":[{"id":"wamid.1"}]}')
SENT_ID = "wamid.1"


def refused(code: int, status: int = 400) -> Response:
    error = {"code": code, "message": "no", "error_data": {"details": "because"}}
    return Response(status=status, body=msgspec.json.encode({"error": error}))


CALLS = [
    Call(
        url="https://graph.facebook.com/v22.0/1060001/messages",
        auth={"authorization": "Bearer token-000001"},
        body={
            "messaging_product!": "whatsapp",
            "recipient_type": "individual",
            "to!": ("15005550006", "1500"),
            "type!": "text",
            "text!": {"body!": str, "preview_url": bool},
        },
        answer=SENT,
        denied=refused(190, 401),
    )
]
REFUSALS = [
    *((refused(code), "bad_recipient") for code in (131021, 131026, 131030)),
    *((refused(code), "bad_request") for code in (131047, 132000, 132012, 100)),
    *((refused(code), "bad_credentials") for code in (10, 190, 200, 131031, 131042)),
    *((refused(code), "throttled") for code in (4, 80007, 130429, 131048, 131056)),
    *((refused(code), "retryable") for code in (1, 2, 131000, 131016)),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_BODY = (
    b'{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages",'
    b'"value":{"statuses":[{"id":"wamid.1","status":"failed","timestamp":"1767225600",'
    b'"recipient_id":"15005550006","errors":[{"code":131026,"title":"Undeliverable"}]},'
    b'{"id":"wamid.2","status":"read","timestamp":"1767225600"}]}},'
    b'{"value":{"messages":[{"id":"wamid.3","text":{"body":"STOP"}}]}}]}]}'
)
_SIGNATURE = "sha256=" + hmac.new(b"app-secret", _BODY, hashlib.sha256).hexdigest()
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in",
            headers={"x-hub-signature-256": _SIGNATURE},
            body=_BODY,
            at=NOW,
        ),
        "app-secret",
        [
            Event(
                message_id="wamid.1",
                happened="failed",
                at=NOW,
                target="15005550006",
                reason="Undeliverable",
            ),
            Event(message_id="wamid.2", happened="read", at=NOW),
        ],
    )
]


def asked(token: str) -> Webhook:
    query = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "1158201444"}
    return Webhook(method="GET", url="https://tidings.example/in", query=query, at=NOW)


def test_the_challenge_is_answered_to_who_knows_the_token() -> None:
    answer = WhatsAppBusiness().answer_webhook(asked("app-secret"), "app-secret")
    assert answer is not None
    assert (answer.status, answer.body) == (200, b"1158201444")
    assert answer.headers["content-type"] == "text/plain"
    for key in ("another", ""):
        refusal = WhatsAppBusiness().answer_webhook(asked(key), "app-secret")
        assert refusal is not None
        assert (refusal.status, refusal.body) == (403, b"")
    assert WhatsAppBusiness().answer_webhook(WEBHOOKS[0][0], "app-secret") is None


def test_a_template_is_sent_instead_of_text() -> None:
    template = {"name": "hello_world", "language": {"code": "en_US"}}
    message = ChatMessage(
        id="m1", content="Hi", phone="+15005550006", custom_data={"template": template}
    )
    assert WhatsAppBusiness().build_request(message, Credentials()).body == Json(
        {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": "15005550006",
            "type": "template",
            "template": template,
        }
    )


async def test_without_a_number_nobody_is_called() -> None:
    network, http, _ = fake_network([SENT])
    message = ChatMessage(id="m1", content="Hi", webhook_url="https://w.example")
    result = await send(WhatsAppBusiness(), CREDENTIALS, message, network, NOW)
    assert result.outcome == "bad_recipient"
    assert http.requests == []
