"""OneSignal. https://documentation.onesignal.com/reference/push-notification

Targets are subscription ids; to reach people by your own ids, override with
`include_aliases: {"external_id": [..]}`. A success with an empty id means that nothing was created.
Not confirmed: whether OneSignal still takes keys of the oldest kind with this scheme. Its event
streams have a form that the account chooses, so none is read.
"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import by_target, given, on, path, uuid_for
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Conversation, Json, Request, Response
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT, Verdict

_INVALID = ("invalid_player_ids", "invalid_aliases", "invalid_external_user_ids")


class OneSignal(PushProvider):
    id = "one-signal"
    name = "OneSignal"
    docs = "https://documentation.onesignal.com/reference/push-notification"
    batch = 2000
    credentials = (
        need("applicationId", "App id", help="Settings > Keys & IDs."),
        secret("apiKey", "API key", help="An app API key: Settings > Keys & IDs."),
    )
    accepted = on(SENT, at="id")
    message_id = path("id")
    reason = path("errors")
    rules = (on(BAD_RECIPIENT, 200, 400, at="errors", like="not subscribed|" + "|".join(_INVALID)),)

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        body = given(
            app_id=credentials.application_id,
            include_subscription_ids=list(message.targets),
            target_channel="push",
            headings={"en": message.title} if message.title else None,
            contents={"en": message.content},
            data=dict(message.payload),
            idempotency_key=uuid_for(message.id, *message.targets),
        )
        return Request(
            url="https://api.onesignal.com/notifications",
            headers={"Authorization": f"Key {credentials.api_key}"},
            body=Json(body),
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        response: Response = yield self.build_request(message, credentials)
        result = self.parse_response(response)
        invalid = _invalid(path("errors")(response))
        if result.outcome != SENT or not invalid & set(message.targets):
            return result
        return by_target(
            (
                Verdict(target=each, outcome=BAD_RECIPIENT, reason="OneSignal does not know it.")
                if each in invalid
                else Verdict(target=each, outcome=SENT, id=result.id)
                for each in message.targets
            ),
            response.status,
        )


def _invalid(errors: Any) -> set[str]:
    if not isinstance(errors, Mapping):
        return set()
    lists = (errors.get(name) for name in _INVALID)
    return {str(each) for found in lists if isinstance(found, list) for each in found}
