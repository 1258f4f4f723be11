"""Grafana OnCall: a fake written from its page, and what it reports."""

from tidings.domain.integrations import Credentials
from tidings.providers.chat.grafana_on_call import GrafanaOnCall
from tidings.providers.exchange import Json, Response
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage

CREDENTIALS = {"alertUid": "uid-1", "title": "Title", "state": "alerting"}
SENT = Response(status=200, headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT"}, body=b"Ok.")
SENT_ID = None
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={
            "alert_uid": "uid-1",
            "title": "Title",
            "image_url": str,
            "state": ("alerting", "ok"),
            "link_to_upstream_details": str,
            "message!": str,
        },
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=404, body=b"Not found"), "bad_recipient"),
    (Response(status=400, body=b"Bad request"), "bad_request"),
]


def test_the_subscribers_own_words_come_first() -> None:
    message = ChatMessage(
        id="m1",
        content="Hi",
        webhook_url="https://g.example/h",
        details={"title": "Own", "externalUrl": "https://up.example", "imageUrl": "https://i"},
    )
    credentials = Credentials(title="Title", alert_uid="uid", external_link="https://x")
    assert GrafanaOnCall().build_request(message, credentials).body == Json(
        {
            "alert_uid": "uid",
            "title": "Own",
            "image_url": "https://i",
            "link_to_upstream_details": "https://up.example",
            "message": "Hi",
        }
    )
