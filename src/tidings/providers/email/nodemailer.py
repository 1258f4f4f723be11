"""Custom SMTP: any mail server. https://datatracker.ietf.org/doc/html/rfc5321"""

from collections.abc import Mapping

from tidings.domain.integrations import Credentials
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, may, need
from tidings.providers.dkim import Dkim
from tidings.providers.mail import SmtpProvider

_DKIM = ("domain", "accountSid", "secretKey")


class Nodemailer(SmtpProvider):
    id = "nodemailer"
    name = "Custom SMTP"
    docs = "https://datatracker.ietf.org/doc/html/rfc5321"
    credentials = (
        need("host", "Host", format="host", help="Of the mail server: smtp.example.com."),
        need("port", "Port", format="port", help="Usually 587, or 465 with TLS throughout."),
        FROM_EMAIL,
        SENDER_NAME,
        may("user", "User", help="Leave user and password empty for a server that asks none."),
        may("password", "Password", secret=True, help="Of that user."),
        may("secure", "TLS throughout", help="TLS from the first byte, as on port 465."),
        may("requireTls", "Require TLS", help="Fail when the server does not offer STARTTLS."),
        may("ignoreTls", "Ignore TLS", help="Do not use STARTTLS even when it is offered."),
        may(
            "tlsOptions",
            "TLS options",
            format="tls-options",
            help="rejectUnauthorized, servername, ca (PEM), minVersion.",
        ),
        may(
            "domain",
            "DKIM domain",
            format="host",
            together=_DKIM,
            help="Signs mail for this domain, which should be that of the from address.",
        ),
        may(
            "accountSid",
            "DKIM selector",
            format="host",
            together=_DKIM,
            help="The public key stands in DNS at <selector>._domainkey.<domain>.",
        ),
        may(
            "secretKey",
            "DKIM private key",
            secret=True,
            format="pem",
            together=_DKIM,
            help="An RSA key in PEM form, at least 1024 bits, better 2048.",
        ),
    )

    def dkim(self, credentials: Credentials) -> Dkim | None:
        if not credentials.domain:
            return None
        return Dkim(
            domain=credentials.domain, selector=credentials.account_sid, key=credentials.secret_key
        )

    def server(self, credentials: Credentials) -> Mapping[str, object]:
        return {
            "host": credentials.host,
            "port": int(credentials.port),
            "secure": credentials.secure,
            "require_tls": credentials.require_tls,
            "ignore_tls": credentials.ignore_tls,
            "tls_options": credentials.tls_options,
            "user": credentials.user,
            "password": credentials.password,
        }
