"""App IO of the Italian public administration.
https://docs.pagopa.it/io-guida-tecnica/api/api-messaggi

The target is a fiscal code. Whether its owner takes messages of this service is asked first. IO
takes subjects of 10 to 120 characters and texts of 80 to 10,000; shorter ones it refuses.
Overrides: `apiKey` instead of the integration's; everything else extends the message.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import first, judge, on, path
from tidings.providers.credentials import may, need
from tidings.providers.exchange import Conversation, Json, Request, Response
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Result
from tidings.providers.overrides import PASSTHROUGH, deep


class AppIo(PushProvider):
    id = "appio"
    name = "App IO"
    docs = "https://docs.pagopa.it/io-guida-tecnica/api/api-messaggi"
    credentials = (
        need(
            "AppIOBaseUrl",
            "Base URL",
            format="url",
            default="https://api.io.pagopa.it/api/v1",
            help="Of the IO API.",
        ),
        may(
            "apiKey",
            "API key",
            secret=True,
            help="Of the service, in IO's back office; a message may bring its own.",
        ),
    )
    cannot = frozenset({"payload"})
    message_id = path("id")
    reason = first(path("detail"), path("title"), path("message"))

    def send_request(self, message: PushMessage, base: str, key: str) -> Request:
        own = {k: v for k, v in message.overrides.items() if k not in (PASSTHROUGH, "apiKey")}
        body = {
            "fiscal_code": message.targets[0],
            "content": {"subject": message.title, "markdown": message.content},
        }
        return Request(
            url=f"{base}/messages",
            headers={"Ocp-Apim-Subscription-Key": key},
            body=Json(deep(body, own)),
            overrides="passthrough",
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        key = str(message.overrides.get("apiKey") or credentials.api_key)
        if not key:
            reason = "API key is required: in the integration, or as override apiKey."
            return Result(outcome=BAD_CREDENTIALS, reason=reason)
        base = credentials.app_io_base_url.rstrip("/")
        profile: Response = yield Request(
            url=f"{base}/profiles",
            headers={"Ocp-Apim-Subscription-Key": key},
            body=Json({"fiscal_code": message.targets[0]}),
            overrides="none",
        )
        asked = judge(
            profile,
            accepted=on(SENT, at="sender_allowed", among=(True,)),
            rules=(on(BAD_RECIPIENT, 200, 404),),
            reason=first(self.reason, path("sender_allowed")),
        )
        if asked.outcome == BAD_RECIPIENT:
            reason = "Nobody with this fiscal code takes messages of this service."
            return Result(outcome=BAD_RECIPIENT, reason=reason, status=profile.status)
        if asked.outcome != SENT:
            return asked
        return self.parse_response((yield self.send_request(message, base, key)))
