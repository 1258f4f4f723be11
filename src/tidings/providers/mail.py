"""Mail as MIME, and the vendors that speak SMTP."""

from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage as Mime
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime, parseaddr

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import files, from_address, from_name, inline
from tidings.providers.dkim import Dkim, signed
from tidings.providers.exchange import Conversation, SmtpRequest, SmtpResponse
from tidings.providers.messages import Attachment, EmailMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    SENT,
    Outcome,
    Result,
    Verdict,
)
from tidings.providers.signing import BadKeyError

_OURS = frozenset(
    {"from", "to", "cc", "bcc", "subject", "reply-to", "date", "message-id", "mime-version"}
)
_SEVEN_BIT = SMTP.clone(cte_type="7bit")
"""For signed mail, which no server on its way may encode anew."""
_RECIPIENT = frozenset({510, 511, 513, 550, 551, 553})
_CREDENTIALS = frozenset({530, 534, 535, 538})


def mime(
    message: EmailMessage, credentials: Credentials, policy: "EmailPolicy[Mime]" = SMTP
) -> bytes:
    """The message as it goes over the wire. Blind copies are left to the envelope."""
    made = Mime(policy=policy)
    address = from_address(message, credentials)
    made["From"] = _addressed(address, from_name(message, credentials))
    made["To"] = [_addressed(each) for each in message.to]
    if message.cc:
        made["Cc"] = [_addressed(each) for each in message.cc]
    if message.reply_to:
        made["Reply-To"] = _addressed(message.reply_to)
    made["Subject"] = _one_line(message.subject)
    made["Date"] = format_datetime(message.at)
    made["Message-ID"] = f"<{message_id(message, credentials)}>"
    for name, value in message.headers.items():
        if name.lower() not in _OURS and not name.lower().startswith("content-"):
            made[_one_line(name)] = _one_line(value)
    _fill(made, message)
    return made.as_bytes()


def message_id(message: EmailMessage, credentials: Credentials) -> str:
    """The same on every attempt, so that a mail server can notice repetition."""
    return f"{message.id}@{from_address(message, credentials).rpartition('@')[2] or 'localhost'}"


def _fill(made: Mime, message: EmailMessage) -> None:
    if message.text is not None or message.html is None:
        made.set_content(message.text or "")
    if message.html is not None:
        if message.text is None:
            made.set_content(message.html, subtype="html")
            page = made
        else:
            made.add_alternative(message.html, subtype="html")
            page = made.get_body(("html",))  # type: ignore[assignment]
        for picture in inline(message):
            main, sub = _kind(picture)
            page.add_related(
                picture.content, main, sub, cid=f"<{picture.cid}>", filename=picture.name
            )
    attached = files(message) + ([] if message.html is not None else inline(message))
    for file in attached:
        main, sub = _kind(file)
        made.add_attachment(file.content, main, sub, filename=file.name)


def _kind(attachment: Attachment) -> tuple[str, str]:
    main, _, sub = attachment.mime.partition("/")
    if main in ("text", "multipart", "message") or not sub:
        return ("text", sub) if main == "text" and sub else ("application", "octet-stream")
    return main, sub


def _addressed(text: str, name: str = "") -> Address:
    given_name, address = parseaddr(_one_line(text))
    return Address(display_name=_one_line(name) or given_name, addr_spec=address)


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def judge_mail(response: SmtpResponse, request: SmtpRequest, id: str) -> Result:
    """Sent when the server took it for anybody; the verdicts name those it refused."""
    verdicts = tuple(
        Verdict(target=address, outcome=_outcome(*told), reason=told[1])
        if (told := response.refused.get(address))
        else Verdict(target=address, outcome=_outcome(response.code, response.text), id=id)
        for address in request.recipients
    )
    outcome = _outcome(response.code, response.text)
    reason = "" if outcome == SENT and not response.refused else _reason(response)
    return Result(
        outcome=outcome,
        id=id if outcome == SENT else None,
        reason=reason,
        code=str(response.code),
        verdicts=verdicts,
    )


def _outcome(code: int, text: str) -> Outcome:
    if 200 <= code < 300:
        return SENT
    if code < 500:
        return RETRYABLE
    if code in _CREDENTIALS or "5.7.8" in text or "5.7.30" in text or "5.7.139" in text:
        return BAD_CREDENTIALS
    if code in _RECIPIENT or "5.1." in text:
        return BAD_RECIPIENT
    return BAD_REQUEST


def _reason(response: SmtpResponse) -> str:
    if not response.refused:
        return f"{response.code} {response.text}"
    return "; ".join(
        f"{address}: {code} {text}" for address, (code, text) in response.refused.items()
    )


class SmtpProvider(EmailProvider):
    """A vendor that is a mail server. `server` says which."""

    cannot = frozenset({"custom_data", "ip_pool"})
    tested = (
        "Over real connections to a mail server: in the clear, with STARTTLS, with TLS throughout, "
        "with a login, and with recipients that it refuses."
    )

    def server(self, credentials: Credentials) -> Mapping[str, object]:
        """Host, port, TLS and login, as SmtpRequest names them."""
        raise NotImplementedError

    def dkim(self, credentials: Credentials) -> Dkim | None:
        """What to sign mail with, for servers that leave it to the sender."""
        return None

    def build_mail(self, message: EmailMessage, credentials: Credentials) -> SmtpRequest:
        everybody = dict.fromkeys((*message.to, *message.cc, *message.bcc))
        return SmtpRequest(
            **self.server(credentials),  # type: ignore[arg-type]
            sender=parseaddr(from_address(message, credentials))[1],
            recipients=tuple(parseaddr(address)[1] for address in everybody),
            content=self._content(message, credentials),
        )

    def _content(self, message: EmailMessage, credentials: Credentials) -> bytes:
        dkim = self.dkim(credentials)
        if dkim is None:
            return mime(message, credentials)
        return signed(mime(message, credentials, _SEVEN_BIT), dkim, message.at)

    def converse(self, message: EmailMessage, credentials: Credentials) -> Conversation:
        try:
            request = self.build_mail(message, credentials)
        except BadKeyError as error:
            return Result(outcome=BAD_CREDENTIALS, reason=f"DKIM: {error}")
        response = yield request
        return judge_mail(response, request, message_id(message, credentials))
