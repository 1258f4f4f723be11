"""Microsoft Teams: a fake written from its page, and what it reports."""

import pytest

from tidings.domain.integrations import Credentials
from tidings.providers.chat.msteams import MsTeams
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage

CREDENTIALS: dict[str, str] = {}
SENT = Response(status=202, headers={"x-ms-workflow-run-id": "run1"})
SENT_ID = "run1"
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={
            "type!": "message",
            "attachments!": [
                {
                    "contentType!": "application/vnd.microsoft.card.adaptive",
                    "contentUrl!": None,
                    "content!": {
                        "$schema!": str,
                        "type!": "AdaptiveCard",
                        "version!": str,
                        "body!": [{"type!": "TextBlock", "text!": str, "wrap!": True}],
                    },
                }
            ],
        },
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=404, body=b'{"error":{"code":"WorkflowNotFound"}}'), "bad_recipient"),
    (Response(status=401, body=b'{"error":{"code":"Unauthorized"}}'), "bad_recipient"),
    (Response(status=413, body=b"too large"), "bad_request"),
    (
        Response(
            status=200,
            body=b"Webhook message delivery failed with error: Microsoft Teams endpoint returned "
            b"HTTP error 429",
        ),
        "throttled",
    ),
    (
        Response(
            status=200,
            body=b"Webhook message delivery failed with error: Microsoft Teams endpoint returned "
            b"HTTP error 400",
        ),
        "bad_request",
    ),
]


@pytest.mark.parametrize(
    ("url", "content", "body"),
    [
        ("https://org.webhook.office.com/webhookb2/x", "Hi", {"text": "Hi"}),
        ("https://org.webhook.office.com/webhookb2/x", '{"title":"T"}', {"title": "T"}),
        ("https://prod-1.westus.logic.azure.com/w", '{"type":"message"}', {"type": "message"}),
    ],
)
def test_connectors_take_text_and_both_take_a_card(
    url: str, content: str, body: dict[str, str]
) -> None:
    message = ChatMessage(id="m1", content=content, webhook_url=url)
    assert MsTeams().build_request(message, Credentials()) == Request(url=url, body=Json(body))
