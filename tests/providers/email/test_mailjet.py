"""Mailjet."""

from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {
    "apiKey": "mailjet-key-01",
    "secretKey": "mailjet-secret",
    "from": "news@example.com",
    "senderName": "News",
}
SENT = Response(
    status=200,
    body=b'{"Messages":[{"Status":"success","CustomID":"m1","To":[{"Email":"ada@example.com",'
    b'"MessageUUID":"u","MessageID":456,"MessageHref":"h"}],"Cc":[],"Bcc":[]}]}',
)
SENT_ID = "456"
_PERSON = {"Email!": str, "Name": str}
_FILE = {"ContentType!": str, "Filename!": str, "Base64Content!": str}
CALLS = [
    Call(
        url="https://api.mailjet.com/v3.1/send",
        auth={"authorization": "Basic bWFpbGpldC1rZXktMDE6bWFpbGpldC1zZWNyZXQ="},
        body={
            "Messages!": [
                {
                    "From!": _PERSON,
                    "To!": [_PERSON],
                    "Cc": [_PERSON],
                    "Bcc": [_PERSON],
                    "ReplyTo": _PERSON,
                    "Subject": str,
                    "TextPart": str,
                    "HTMLPart": str,
                    "Headers": {"*": str},
                    "Attachments": [_FILE],
                    "InlinedAttachments": [{**_FILE, "ContentID!": str}],
                    "CustomID": "m1",
                    "EventPayload": str,
                }
            ],
            "SandboxMode": bool,
        },
        answer=SENT,
        denied=Response(
            status=401, body=b'{"ErrorIdentifier":"i","ErrorCode":"mj-0005","StatusCode":401}'
        ),
    )
]
REFUSALS = [
    (
        Response(
            status=400,
            body=b'{"Messages":[{"Status":"error","Errors":[{"ErrorIdentifier":"i","ErrorCode":'
            b'"mj-0013","StatusCode":400,"ErrorMessage":"\\"x\\" is an invalid email address.",'
            b'"ErrorRelatedTo":["To[0].Email"]}]}]}',
        ),
        "bad_recipient",
    ),
    (
        Response(
            status=400,
            body=b'{"Messages":[{"Status":"error","Errors":[{"ErrorCode":"send-0008",'
            b'"ErrorMessage":"not an authorized sender","ErrorRelatedTo":["From"]}]}]}',
        ),
        "bad_credentials",
    ),
    (
        Response(status=401, body=b'{"ErrorMessage":"API key authentication failure"}'),
        "bad_credentials",
    ),
    (Response(status=400, body=b'{"ErrorMessage":"Malformed JSON"}'), "bad_request"),
    (Response(status=200, body=b'{"Messages":[{"Status":"error"}]}'), "bad_request"),
]
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in?token=mailjet-token",
            query={"token": "mailjet-token"},
            body=b'[{"event":"sent","time":1767225600,"MessageID":456,"CustomID":"m1",'
            b'"email":"ada@example.com"},{"event":"bounce","hard_bounce":true,"time":1767225600,'
            b'"MessageID":456,"error":"user unknown"},{"event":"blocked","MessageID":7}]',
            at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        "mailjet-token",
        [
            Event(
                message_id="m1",
                happened="delivered",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                target="ada@example.com",
            ),
            Event(
                message_id="456",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                reason="user unknown",
            ),
            Event(message_id="7", happened="rejected"),
        ],
    )
]
