"""The blocks that vendor files are put together from: auth, bodies, readers and verdicts."""

import base64
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import formataddr, parseaddr, parsedate_to_datetime
from html import escape
from typing import Any
from xml.etree import ElementTree

import msgspec

from tidings.domain.conditions import at_path
from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Response
from tidings.providers.messages import Attachment, EmailMessage, SmsMessage
from tidings.providers.outcomes import (
    BAD_REQUEST,
    RETRYABLE,
    SENT,
    THROTTLED,
    Outcome,
    Result,
    Verdict,
    by_status,
    together,
)

# Auth: headers for a Request.


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + b64(f"{user}:{password}".encode())}


# Bodies.


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def address(base: str) -> str:
    """A base address that may have been given as a bare host, or with a slash at the end."""
    return (base if "://" in base else f"https://{base}").rstrip("/")


def given(**fields: Any) -> dict[str, Any]:
    """The fields that have a value: none that are None, empty text or an empty list or object.
    A trailing underscore, which Python needs for `from_`, is taken off."""
    return {
        name.rstrip("_"): value
        for name, value in fields.items()
        if value is not None and value != "" and value != [] and value != {} and value != ()
    }


def from_address(message: EmailMessage, credentials: Credentials) -> str:
    return message.from_ or credentials.from_


def from_name(message: EmailMessage, credentials: Credentials) -> str:
    return message.sender_name or credentials.sender_name


def from_line(message: EmailMessage, credentials: Credentials) -> str:
    """`Name <address>`, or the address alone."""
    return formataddr((from_name(message, credentials), from_address(message, credentials)))


def person(address: str, name: str = "") -> dict[str, str]:
    """An address as many vendors want it: `{"email": .., "name": ..}`. What is no address is left
    to the vendor to refuse."""
    given_name, plain = parseaddr(address)
    return {"email": plain or address, **given(name=name or given_name)}


def people(addresses: Iterable[str]) -> list[dict[str, str]]:
    return [person(address) for address in addresses]


def as_html(message: EmailMessage) -> str:
    """The HTML, or the text in its place, for vendors that take nothing else."""
    if message.html is not None:
        return message.html
    return f'<div style="white-space: pre-wrap">{escape(message.text or "")}</div>'


def from_number(message: SmsMessage, credentials: Credentials) -> str:
    return message.from_ or credentials.from_


def files(message: EmailMessage) -> list[Attachment]:
    """The attachments that are not shown inside the HTML."""
    return [attachment for attachment in message.attachments if attachment.cid is None]


def inline(message: EmailMessage) -> list[Attachment]:
    return [attachment for attachment in message.attachments if attachment.cid is not None]


def strings(data: Mapping[str, Any]) -> dict[str, str]:
    """Values as text, for vendors that carry no other; objects and lists as JSON."""
    return {name: value if isinstance(value, str) else _json(value) for name, value in data.items()}


def uuid_for(*parts: str) -> str:
    """A UUID that is the same for the same parts: the idempotency key that some vendors want."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\0".join(parts)))


def digits(phone: str) -> str:
    """A number without plus sign or leading 00."""
    return re.sub(r"^00|\D", "", phone)


def e164(phone: str) -> str:
    return "+" + digits(phone)


_GSM = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€"
)


def is_gsm(text: str) -> bool:
    """Whether a text fits the seven-bit alphabet of short messages."""
    return _GSM.issuperset(text)


# Readers: where something stands in an answer.


class Reader:
    """Finds one thing in an answer; None when it is not there."""

    def __init__(self, read: Callable[[Response], Any]) -> None:
        self._read = read

    def __call__(self, response: Response) -> Any:
        return self._read(response)


nothing = Reader(lambda response: None)
text = Reader(lambda response: response.text().strip())


def path(dotted: str) -> Reader:
    """`data.0.id` in a JSON body."""
    return Reader(lambda response: at_path(response.json(), dotted))


def header(name: str) -> Reader:
    return Reader(lambda response: response.headers.get(name.lower()))


def found(pattern: str) -> Reader:
    """The first group of a pattern in the body's text."""

    def read(response: Response) -> Any:
        match = re.search(pattern, response.text())
        return match[1] if match else None

    return Reader(read)


def xml(place: str) -> Reader:
    """The text of an element, by its names without namespaces: `PublishResult/MessageId`."""

    def read(response: Response) -> Any:
        if "<!DOCTYPE" in response.text() or "<!ENTITY" in response.text():
            return None
        plain = re.sub(r"\sxmlns(:\w+)?=\"[^\"]*\"", "", response.text())
        try:
            root = ElementTree.fromstring(plain)  # noqa: S314
        except ElementTree.ParseError:
            return None
        return root.findtext(place)

    return Reader(read)


def bare(reader: Reader) -> Reader:
    """Without the angle brackets that message ids are written in."""
    return Reader(lambda r: value.strip("<>") if isinstance(value := reader(r), str) else value)


def first(*readers: Reader) -> Reader:
    """The first that finds something."""
    return Reader(lambda r: next((value for reader in readers if (value := reader(r))), None))


# Verdicts: the vendor's errors as our outcomes.


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Applies when everything that it names is so."""

    outcome: Outcome = SENT
    status: tuple[int, ...] = ()
    at: Reader | None = None
    among: tuple[Any, ...] = ()
    """The value read is one of these; compared as text."""
    like: str = ""
    """A pattern found in the value read, whatever the case."""

    def applies(self, response: Response) -> bool:
        if self.status and response.status not in self.status:
            return False
        value = (self.at or text)(response)
        if self.among and str(value) not in {str(one) for one in self.among}:
            return False
        if self.like:
            return value is not None and bool(re.search(self.like, _words(value), re.IGNORECASE))
        return not (self.at and not self.among) or bool(value)


def on(
    outcome: Outcome,
    *status: int,
    at: Reader | str | None = None,
    among: Iterable[Any] = (),
    like: str = "",
) -> Rule:
    """`on(BAD_RECIPIENT, 422, at="ErrorCode", among=(300, 406))`. A text for `at` is a path."""
    reader = path(at) if isinstance(at, str) else at
    return Rule(outcome=outcome, status=status, at=reader, among=tuple(among), like=like)


def judge(
    response: Response,
    *,
    accepted: Rule | None = None,
    rules: Sequence[Rule] = (),
    message_id: Reader = nothing,
    sent_at: Reader = nothing,
    reason: Reader = nothing,
) -> Result:
    """The vendor's own rules first, then the common table of statuses."""
    outcome = by_status(response.status)
    refused = outcome == SENT and accepted is not None and not accepted.applies(response)
    if refused or outcome != SENT:
        matching = next((rule.outcome for rule in rules if rule.applies(response)), None)
        outcome = matching or (BAD_REQUEST if refused else outcome)
    if outcome == SENT:
        id = message_id(response)
        return Result(
            outcome=SENT,
            id=None if id in (None, "") else str(id),
            date=moment(sent_at(response)),
            status=response.status,
        )
    return Result(
        outcome=outcome,
        reason=_words(reason(response) or response.text())[:500].strip(),
        retry_after=retry_after(response) if outcome in (THROTTLED, RETRYABLE) else None,
        status=response.status,
    )


def by_target(verdicts: Iterable[Verdict], status: int) -> Result:
    """One result of verdicts on several targets inside one answer."""
    return together(
        Result(
            outcome=verdict.outcome,
            id=verdict.id,
            reason=verdict.reason,
            verdicts=(verdict,),
            status=status,
        )
        for verdict in verdicts
    )


_RESET_HEADERS = ("x-ratelimit-reset", "ratelimit-reset", "x-sib-ratelimit-reset")


def retry_after(response: Response) -> float | None:
    """Seconds to wait: Retry-After in seconds or as a date, else a reset header. A date, or an
    epoch in a reset header, counts from the answer's own Date."""
    told = response.headers.get("retry-after", "")
    answered = moment(response.headers.get("date"))
    if re.fullmatch(r"\d+(\.\d+)?", told):
        return float(told)
    if (until := moment(told)) and answered:
        return max(0.0, (until - answered).total_seconds())
    for name in _RESET_HEADERS:
        reset = response.headers.get(name, "")
        if re.fullmatch(r"\d+(\.\d+)?", reset):
            seconds = float(reset)
            if seconds < 10**8:
                return seconds
            if answered:
                return max(0.0, seconds - answered.timestamp())
    return None


def moment(value: Any) -> datetime | None:
    """A vendor's date in any of the usual forms: ISO 8601, RFC 2822, seconds or milliseconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _epoch(float(value))
    if not isinstance(value, str) or not value.strip():
        return None
    if re.fullmatch(r"\d{10}(\d{3})?(\.\d+)?", value):
        return _epoch(float(value))
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(value.strip())
        except (ValueError, TypeError):
            continue
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    return None


def _epoch(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > 10**11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    return _json(value) if isinstance(value, Mapping | list) else str(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
