"""The catcher for SMS: keeps messages for people who develop, and sends nothing."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.exchange import Conversation
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import SENT, Result


class SvcSms(SmsProvider):
    id = "svc-sms"
    name = "SMS catcher"
    docs = "docs/how-to/catch-messages.md"
    single = True

    def converse(self, message: SmsMessage, credentials: Credentials) -> Conversation:
        yield from ()
        return Result(outcome=SENT)
