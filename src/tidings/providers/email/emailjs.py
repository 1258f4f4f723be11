"""EmailJS: the SMTP client of that name, not the service. Any mail server will do.
https://github.com/eleith/emailjs"""

from collections.abc import Mapping

from tidings.domain.integrations import Credentials
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, may, need
from tidings.providers.mail import SmtpProvider


class EmailJs(SmtpProvider):
    id = "emailjs"
    name = "EmailJS (SMTP)"
    docs = "https://github.com/eleith/emailjs"
    credentials = (
        need("host", "Host", format="host", help="Of the mail server: smtp.example.com."),
        need("port", "Port", format="port", help="Usually 587, or 465 with TLS throughout."),
        FROM_EMAIL,
        SENDER_NAME,
        may("user", "User", help="Leave user and password empty for a server that asks none."),
        may("password", "Password", secret=True, help="Of that user."),
        may("secure", "TLS throughout", help="TLS from the first byte, as on port 465."),
    )

    def server(self, credentials: Credentials) -> Mapping[str, object]:
        return {
            "host": credentials.host,
            "port": int(credentials.port),
            "secure": credentials.secure,
            "user": credentials.user,
            "password": credentials.password,
        }
