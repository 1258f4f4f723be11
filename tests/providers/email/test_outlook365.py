"""Microsoft Outlook 365; tests/providers/test_smtp.py sends for real."""

from datetime import UTC, datetime

import pytest

from tidings.domain.integrations import Credentials
from tidings.providers.delivery import send
from tidings.providers.email.outlook365 import Outlook365
from tidings.providers.exchange import SmtpResponse
from tidings.providers.fake import fake_network
from tidings.providers.messages import EmailMessage

CREDENTIALS = {"from": "news@example.com", "password": "a-long-password", "senderName": "News"}
SENT = SmtpResponse(code=250, text="2.0.0 OK")
SENT_ID = "m1@example.com"

MESSAGE = EmailMessage(id="m1", to=("a@example.com",), subject="s", text="t")


def test_logs_in_as_the_sender_and_only_with_tls() -> None:
    request = Outlook365().build_mail(MESSAGE, Credentials(from_="n@example.com", password="p"))
    assert (request.host, request.port) == ("smtp.office365.com", 587)
    assert request.require_tls
    assert (request.user, request.password) == ("n@example.com", "p")


@pytest.mark.parametrize(
    ("code", "text", "outcome"),
    [
        (
            535,
            "5.7.139 Authentication unsuccessful, basic authentication is disabled",
            "bad_credentials",
        ),
        (550, "5.7.30 Basic authentication is not supported", "bad_credentials"),
        (432, "4.3.2 Concurrent connections limit exceeded", "retryable"),
        (550, "5.1.1 User unknown", "bad_recipient"),
    ],
)
async def test_what_microsoft_says(code: int, text: str, outcome: str) -> None:
    network, _, _ = fake_network(mail=[SmtpResponse(code=code, text=text)])
    result = await send(
        Outlook365(), CREDENTIALS, MESSAGE, network, datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert result.outcome == outcome
