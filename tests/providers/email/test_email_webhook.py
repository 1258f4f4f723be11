"""The e-mail webhook."""

from tidings.domain.integrations import Credentials
from tidings.providers.email.email_webhook import EmailWebhook
from tidings.providers.exchange import Json, Request, Response, encode
from tidings.providers.messages import Attachment, EmailMessage
from tidings.providers.signing import HmacBody, hmac_hex

CREDENTIALS = {
    "webhookUrl": "https://example.com/mail",
    "secretKey": "signing-key-0001",
    "from": "news@example.com",
    "senderName": "News",
}
SENT = Response(status=202, body=b'{"id":"their-id"}')
SENT_ID = "their-id"


def test_the_whole_message_as_json() -> None:
    message = EmailMessage(
        id="m1",
        to=("ada@example.com",),
        cc=("cc@example.com",),
        subject="Hi",
        html="<p>",
        text="t",
        reply_to="r@example.com",
        headers={"X-A": "1"},
        attachments=(Attachment(name="a.txt", mime="text/plain", content=b"hi"),),
        custom_data={"k": 1},
    )
    credentials = Credentials(
        webhook_url="https://example.com/mail", secret_key="k", from_="news@example.com"
    )
    request = EmailWebhook().build_request(message, credentials)
    assert request == Request(
        url="https://example.com/mail",
        headers={"Idempotency-Key": "m1"},
        body=Json(
            {
                "id": "m1",
                "from": "news@example.com",
                "to": ["ada@example.com"],
                "cc": ["cc@example.com"],
                "replyTo": "r@example.com",
                "subject": "Hi",
                "html": "<p>",
                "text": "t",
                "headers": {"X-A": "1"},
                "attachments": [{"name": "a.txt", "mime": "text/plain", "content": "aGk="}],
                "customData": {"k": 1},
            }
        ),
        signer=HmacBody(key="k"),
    )
    sent = encode(request)
    assert sent.headers["X-Tidings-Signature"] == hmac_hex("k", sent.body)
