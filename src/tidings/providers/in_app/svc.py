"""In-app messages: stored and shown in the inbox, so there is nobody to call."""

from tidings.domain.integrations import IN_APP_PROVIDER, Credentials
from tidings.providers.base import InAppProvider
from tidings.providers.credentials import may
from tidings.providers.exchange import Conversation
from tidings.providers.messages import InAppMessage
from tidings.providers.outcomes import SENT, Result


class Svc(InAppProvider):
    id = IN_APP_PROVIDER
    name = "In-app"
    docs = "docs/how-to/integrations.md"
    single = True
    credentials = (
        may(
            "hmac",
            "Require a subscriber hash",
            help="The inbox must prove who its subscriber is with an HMAC made by your server.",
        ),
    )

    def converse(self, message: InAppMessage, credentials: Credentials) -> Conversation:
        yield from ()
        return Result(outcome=SENT)
