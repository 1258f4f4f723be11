"""The catcher for e-mail: keeps messages for people who develop, and sends nothing."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.exchange import Conversation
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import SENT, Result


class SvcEmail(EmailProvider):
    id = "svc-email"
    name = "E-mail catcher"
    docs = "docs/how-to/catch-messages.md"
    single = True

    def converse(self, message: EmailMessage, credentials: Credentials) -> Conversation:
        yield from ()
        return Result(outcome=SENT)
