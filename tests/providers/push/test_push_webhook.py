"""The push webhook."""

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Json, Response
from tidings.providers.messages import PushMessage
from tidings.providers.push.push_webhook import PushWebhook

CREDENTIALS = {"webhookUrl": "https://example.com/push", "secretKey": "signing-key-0001"}
SENT = Response(status=200, body=b'{"id":"their-id"}')
SENT_ID = "their-id"


def test_targets_overrides_and_payload() -> None:
    message = PushMessage(
        id="m1",
        targets=("a", "b"),
        title="Hi",
        content="Hello",
        payload={"order": 7},
        subscriber={"subscriberId": "ada"},
        step={"stepId": "push"},
        overrides={"sound": "ding", "_passthrough": {"body": {}}},
    )
    request = PushWebhook().build_request(
        message, Credentials(webhook_url="https://example.com/push", secret_key="k")
    )
    assert request.body == Json(
        {
            "title": "Hi",
            "content": "Hello",
            "target": ["a", "b"],
            "overrides": {"sound": "ding"},
            "payload": {
                "order": 7,
                "subscriber": {"subscriberId": "ada"},
                "step": {"stepId": "push"},
            },
        }
    )
