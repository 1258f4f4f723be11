"""The rows of EmailJS; tests/providers/test_smtp.py sends for real."""

from tidings.domain.integrations import Credentials
from tidings.providers.email.emailjs import EmailJs
from tidings.providers.exchange import SmtpResponse
from tidings.providers.messages import EmailMessage

CREDENTIALS = {
    "host": "smtp.example.com",
    "port": "465",
    "from": "news@example.com",
    "user": "ada",
    "password": "a-long-password",
    "secure": True,
}
SENT = SmtpResponse(code=250, text="queued")
SENT_ID = "m1@example.com"


def test_the_server_is_the_one_entered() -> None:
    credentials = Credentials(
        host="smtp.example.com",
        port="465",
        secure=True,
        user="u",
        password="p",
        from_="n@e.example",
    )
    message = EmailMessage(id="m", to=("a@example.com",), subject="s", text="t")
    request = EmailJs().build_mail(message, credentials)
    assert (request.host, request.port, request.secure) == ("smtp.example.com", 465, True)
    assert (request.user, request.password) == ("u", "p")
