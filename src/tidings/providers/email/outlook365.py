"""Microsoft Outlook 365: SMTP with a password.
https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission

Microsoft switches password logins off by default after December 2026; an administrator of the
tenant can keep SMTP AUTH on for a mailbox.
"""

from collections.abc import Mapping

from tidings.domain.integrations import Credentials
from tidings.providers.credentials import SENDER_NAME, need, secret
from tidings.providers.mail import SmtpProvider


class Outlook365(SmtpProvider):
    id = "outlook365"
    name = "Microsoft Outlook 365"
    docs = "https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission"
    credentials = (
        need(
            "from",
            "From address",
            format="email",
            help="The mailbox that messages come from; it is also the login.",
        ),
        secret(
            "password",
            "Password",
            help="Of the mailbox; SMTP AUTH must be on: Admin centre > Users > Mail > Email apps.",
        ),
        SENDER_NAME,
    )

    def server(self, credentials: Credentials) -> Mapping[str, object]:
        return {
            "host": "smtp.office365.com",
            "port": 587,
            "require_tls": True,
            "user": credentials.from_,
            "password": credentials.password,
        }
