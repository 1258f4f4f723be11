"""Brevo."""

from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.email.sendinblue import Brevo
from tidings.providers.exchange import Json, Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "xkeysib-00001", "from": "news@example.com", "senderName": "News"}
SENT = Response(status=201, body=b'{"messageId":"<2026.1@smtp-relay.example>"}')
SENT_ID = "2026.1@smtp-relay.example"
_PERSON = {"email!": str, "name": str}
CALLS = [
    Call(
        url="https://api.brevo.com/v3/smtp/email",
        auth={"api-key": "xkeysib-00001"},
        body={
            "sender!": _PERSON,
            "to!": [_PERSON],
            "cc": [_PERSON],
            "bcc": [_PERSON],
            "replyTo": _PERSON,
            "subject!": str,
            "htmlContent": str,
            "textContent": str,
            "headers": {"*": str},
            "attachment": [{"name!": str, "content!": str}],
            "templateId": int,
            "params": dict,
            "tags": [str],
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"code":"unauthorized","message":"Key not found"}'),
    )
]


def _error(status: int, code: str, message: str) -> Response:
    return Response(status=status, body=f'{{"code":"{code}","message":"{message}"}}'.encode())


REFUSALS = [
    (_error(400, "invalid_parameter", "email is not valid in to"), "bad_recipient"),
    (_error(400, "missing_parameter", "to is missing"), "bad_recipient"),
    (_error(400, "invalid_parameter", "valid sender email required"), "bad_credentials"),
    (_error(401, "unauthorized", "Key not found"), "bad_credentials"),
    (_error(402, "not_enough_credits", "no credits"), "bad_credentials"),
    (_error(400, "invalid_parameter", "Unable to read attachment"), "bad_request"),
]
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in?token=brevo-token",
            query={"token": "brevo-token"},
            body=b'{"event":"hard_bounce","email":"ada@example.com","id":1,"ts_epoch":1767225600000,'
            b'"message-id":"<2026.1@smtp-relay.example>","reason":"unknown user"}',
            at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        "brevo-token",
        [
            Event(
                message_id="2026.1@smtp-relay.example",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                target="ada@example.com",
                reason="unknown user",
            )
        ],
    )
]


def test_headers_are_ascii() -> None:
    message = EmailMessage(
        id="m", to=("a@example.com",), subject="s", text="t", custom_data={"wer": "Zoë"}
    )
    body = Brevo().build_request(message, Credentials()).body
    assert isinstance(body, Json)
    assert body.value["headers"]["X-Mailin-custom"].isascii()
