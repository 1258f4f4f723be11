"""Infobip, e-mail."""

from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {
    "apiKey": "infobip-key-01",
    "baseUrl": "xyz.api.infobip.com",
    "from": "news@example.com",
    "senderName": "News",
}


def _told(group: str, name: str) -> Response:
    status = f'{{"groupId":1,"groupName":"{group}","id":7,"name":"{name}","description":"d"}}'
    message = f'{{"to":"ada@example.com","messageId":"ib1","status":{status}}}'
    return Response(status=200, body=f'{{"bulkId":"b","messages":[{message}]}}'.encode())


SENT = _told("PENDING", "PENDING_ENROUTE")
SENT_ID = "ib1"
_MANY = (str, [str])
CALLS = [
    Call(
        url="https://xyz.api.infobip.com/email/3/send",
        auth={"authorization": "App infobip-key-01"},
        mime="multipart/form-data",
        body={
            "from!": str,
            "to!": _MANY,
            "cc": _MANY,
            "bcc": _MANY,
            "replyTo": str,
            "subject!": str,
            "text": str,
            "html": str,
            "attachment": bytes,
            "inlineImage": bytes,
            "headers": '{"X-Custom":"1"}',
            "messageId": str,
            "callbackData": str,
            "ipPoolId": str,
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"requestError":{"serviceException":{"messageId":"UNAUTHORIZED",'
            b'"text":"Invalid login details"}}}',
        ),
    )
]
REFUSALS = [
    (_told("REJECTED", "REJECTED_DESTINATION"), "bad_recipient"),
    (_told("UNDELIVERABLE", "UNDELIVERABLE_NOT_DELIVERED"), "bad_recipient"),
    (_told("REJECTED", "REJECTED_NOT_ENOUGH_CREDITS"), "bad_credentials"),
    (
        Response(
            status=400,
            body=b'{"requestError":{"serviceException":{"messageId":"BAD_REQUEST","text":"Bad",'
            b'"validationErrors":{"to":["is invalid"]}}}}',
        ),
        "bad_recipient",
    ),
    (
        Response(
            status=400,
            body=b'{"requestError":{"serviceException":{"messageId":"BAD_REQUEST","text":"Bad"}}}',
        ),
        "bad_request",
    ),
    (Response(status=200, body=b'{"bulkId":"b"}'), "bad_request"),
]
_AT = datetime(2026, 1, 1, tzinfo=UTC)


def _webhook(body: bytes) -> Webhook:
    return Webhook(url="https://t.example", query={"token": "infobip-token"}, body=body, at=_AT)


WEBHOOKS = [
    (
        _webhook(
            b'{"results":[{"messageId":"ib1","to":"ada@example.com",'
            b'"doneAt":"2026-01-01T00:00:00.000+0000","status":{"groupName":"UNDELIVERABLE"},'
            b'"error":{"description":"no mailbox","permanent":true}}]}'
        ),
        "infobip-token",
        [
            Event(
                message_id="ib1",
                happened="bounced",
                at=_AT,
                target="ada@example.com",
                reason="no mailbox",
            )
        ],
    ),
    (
        _webhook(b'{"notificationType":"OPENED","messageId":"ib1","recipient":"ada@example.com"}'),
        "infobip-token",
        [Event(message_id="ib1", happened="opened", target="ada@example.com")],
    ),
]
