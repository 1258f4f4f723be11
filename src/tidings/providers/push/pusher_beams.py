"""Pusher Beams. https://pusher.com/docs/beams/reference/publish-api/

Targets are the ids of authenticated users. Who has no device is told by webhook only:
https://pusher.com/docs/beams/concepts/webhooks/
"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import bearer, first, given, on, path, strings
from tidings.providers.credentials import need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, Event
from tidings.providers.signing import hmac_hex, same

_GROUPS = {
    "users_delivered_to_gateway": "handed on",
    "users_no_devices": "no devices",
    "users_gateway_failed": "gateway failed",
}
_EVENTS = Events(
    name="metadata.event_type",
    names={
        "handed on": "sent",
        "no devices": "failed",
        "gateway failed": "deferred",
        "v1.UserNotificationAcknowledgement": "delivered",
        "v1.UserNotificationOpen": "opened",
    },
    message_id=("payload.publish_id",),
    at=("metadata.created_at",),
    id=("metadata.event_id",),
    target=("payload.user_id",),
    reason=("reason",),
)


class PusherBeams(PushProvider):
    id = "pusher-beams"
    name = "Pusher Beams"
    docs = "https://pusher.com/docs/beams/reference/publish-api/"
    batch = 1000
    credentials = (
        need("instanceId", "Instance id", help="Dashboard > Beams > yours > Keys."),
        secret("secretKey", "Primary key", help="Beside the instance id."),
    )
    webhook_key = "The secret that was chosen for the webhook: Dashboard > Beams > Settings."
    message_id = path("publishId")
    reason = first(path("description"), path("error"))
    rules = (on(BAD_CREDENTIALS, 404),)  # no such instance

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        words = given(title=message.title, body=message.content)
        data = dict(message.payload)
        instance = credentials.instance_id
        body = {
            "users": list(message.targets),
            "apns": given(aps={"alert": words}, data=data),
            "fcm": given(notification=words, data=strings(data)),
            "web": given(notification=words, data=data),
        }
        return Request(
            url=f"https://{instance}.pushnotifications.pusher.com"
            f"/publish_api/v1/instances/{instance}/publishes/users",
            headers=bearer(credentials.secret_key),
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        expected = hmac_hex(signing_key, webhook.body, "sha1")
        return bool(signing_key) and same(webhook.headers.get("webhook-signature", ""), expected)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(each for entry in entries(webhook) for each in _per_user(entry))


def _per_user(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """An attempt lists its users by what became of them."""
    metadata, payload = entry.get("metadata"), entry.get("payload")
    if not isinstance(metadata, Mapping) or not isinstance(payload, Mapping):
        return []
    if metadata.get("event_type") != "v1.PublishToUsersAttempt":
        return [entry]
    return [
        {
            "metadata": {
                **metadata,
                "event_type": name,
                "event_id": f"{metadata.get('event_id')}/{user}",
            },
            "payload": {**payload, "user_id": user},
            "reason": "" if name == "handed on" else name,
        }
        for group, name in _GROUPS.items()
        for user in _listed(payload.get(group))
    ]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
