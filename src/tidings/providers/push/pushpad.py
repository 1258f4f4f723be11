"""Pushpad. https://pushpad.xyz/docs/rest_api#notifications_api_docs

Targets are the ids of your users. Whoever is missing among those it answers is not subscribed.
Not confirmed: how many users one call may name (so a thousand), and how long its limits on title
and body are at present.
"""

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import bearer, by_target, first, given, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Conversation, Json, Request, Response
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Verdict


class Pushpad(PushProvider):
    id = "pushpad"
    name = "Pushpad"
    docs = "https://pushpad.xyz/docs/rest_api#notifications_api_docs"
    batch = 1000
    credentials = (
        secret("apiKey", "Auth token", help="Account settings > Access tokens."),
        need("applicationId", "Project id", help="Project settings."),
    )
    message_id = path("id")
    reason = first(path("error_description"), path("error"), path("errors"))
    rules = (on(BAD_CREDENTIALS, 404),)  # no such project

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        data = dict(message.payload)
        body = given(
            title=message.title,
            body=message.content,
            uids=list(message.targets),
            custom_data=msgspec.json.encode(data).decode() if data else None,
        )
        return Request(
            url=f"https://pushpad.xyz/api/v1/projects/{credentials.application_id}/notifications",
            headers={**bearer(credentials.api_key), "Accept": "application/json"},
            body=Json(body),
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        response: Response = yield self.build_request(message, credentials)
        result = self.parse_response(response)
        reached = path("uids")(response)
        if result.outcome != SENT or not isinstance(reached, list):
            return result
        return by_target(
            (
                Verdict(target=each, outcome=SENT, id=result.id)
                if each in reached
                else Verdict(
                    target=each, outcome=BAD_RECIPIENT, reason="Pushpad has no subscription of it."
                )
                for each in message.targets
            ),
            response.status,
        )
