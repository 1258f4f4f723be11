"""SparkPost."""

from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.email.sparkpost import SparkPost
from tidings.providers.exchange import Json, Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "sparkpost-0001", "from": "news@example.com", "senderName": "News"}
SENT = Response(
    status=200,
    body=b'{"results":{"total_rejected_recipients":0,"total_accepted_recipients":1,"id":"1166"}}',
)
SENT_ID = "1166"
_FILE = {"name!": str, "type!": str, "data!": str}
CALLS = [
    Call(
        url="https://api.sparkpost.com/api/v1/transmissions",
        auth={"authorization": "sparkpost-0001"},
        body={
            "recipients!": [{"address!": {"email!": str, "name": str, "header_to": str}}],
            "content!": {
                "from!": {"email!": str, "name": str},
                "subject!": str,
                "text": str,
                "html": str,
                "reply_to": str,
                "headers": {"*": str},
                "attachments": [_FILE],
                "inline_images": [_FILE],
            },
            "metadata": dict,
            "campaign_id": str,
            "options": {
                "transactional": bool,
                "open_tracking": bool,
                "click_tracking": bool,
                "ip_pool": str,
                "sandbox": bool,
            },
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"errors":[{"message":"Unauthorized."}]}'),
    )
]


def _error(status: int, code: int, message: str) -> Response:
    body = f'{{"errors":[{{"message":"{message}","description":"d","code":"{code}"}}]}}'
    return Response(status=status, body=body.encode())


REFUSALS = [
    (
        Response(
            status=200,
            body=b'{"results":{"total_rejected_recipients":1,"total_accepted_recipients":0,"id":"1"}}',
        ),
        "bad_recipient",
    ),
    (_error(400, 5002, "no valid recipients"), "bad_recipient"),
    (_error(400, 7001, "Invalid sending domain"), "bad_credentials"),
    (_error(403, 0, "Forbidden."), "bad_credentials"),
    (_error(420, 2102, "Exceed Sending Limit (daily)"), "throttled"),
    (_error(422, 1400, "substitution language syntax error"), "bad_request"),
]
WEBHOOKS = [
    (
        Webhook(
            url="https://t.example",
            headers={"authorization": "Basic dGlkaW5nczpzcGFya3Bvc3Qtc2VjcmV0"},
            body=b'[{"msys":{"message_event":{"type":"bounce","bounce_class":"20","event_id":"e1",'
            b'"transmission_id":"1166","rcpt_to":"ada@example.com","timestamp":"1767225600",'
            b'"reason":"soft"}}},{"msys":{"track_event":{"type":"click","transmission_id":"1166",'
            b'"event_id":"e2"}}},{"msys":{}}]',
            at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        "sparkpost-secret",
        [
            Event(
                message_id="1166",
                happened="soft_bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="e1",
                target="ada@example.com",
                reason="soft",
            ),
            Event(message_id="1166", happened="clicked", id="e2"),
        ],
    )
]


def test_copies_see_the_to_line_and_blind_ones_stay_blind() -> None:
    message = EmailMessage(
        id="m",
        to=("a@example.com",),
        cc=("c@example.com",),
        bcc=("b@example.com",),
        subject="s",
        text="t",
    )
    request = SparkPost().build_request(message, Credentials(region="true"))
    assert request.url == "https://api.eu.sparkpost.com/api/v1/transmissions"
    assert isinstance(request.body, Json)
    assert request.body.value["recipients"] == [
        {"address": {"email": each, "header_to": "a@example.com"}}
        for each in ("a@example.com", "c@example.com", "b@example.com")
    ]
    assert request.body.value["content"]["headers"] == {"CC": "c@example.com"}
