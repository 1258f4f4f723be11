"""The rows of custom SMTP; tests/providers/test_smtp.py sends for real."""

from tidings.providers.exchange import SmtpResponse

CREDENTIALS = {
    "host": "smtp.example.com",
    "port": "587",
    "from": "news@example.com",
    "user": "ada",
    "password": "a-long-password",
}
SENT = SmtpResponse(code=250, text="queued")
SENT_ID = "m1@example.com"
