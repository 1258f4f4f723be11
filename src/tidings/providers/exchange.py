"""The values a vendor file and the network exchange: what to ask, what came back.

A vendor file never performs a call. It describes one as a `Request`, or a conversation of several
as a generator that yields `Request`, `SmtpRequest` or `Token` and receives what each brought.
"""

from collections.abc import Callable, Generator, Mapping
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlencode

import msgspec

from tidings.providers.outcomes import Result


class Json(msgspec.Struct, frozen=True):
    value: Any


class Form(msgspec.Struct, frozen=True):
    """URL-encoded; a list repeats its field."""

    fields: Mapping[str, Any]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a multipart body: a field, or a file when it has a file name."""

    name: str
    content: bytes | str
    filename: str | None = None
    mime: str | None = None


class Multipart(msgspec.Struct, frozen=True):
    parts: tuple[Part, ...]


class Raw(msgspec.Struct, frozen=True):
    content: bytes
    mime: str


Body = Json | Form | Multipart | Raw


class Signer(Protocol):
    """Adds what depends on the finished bytes. A frozen Struct, so that requests compare."""

    def headers(self, request: "Encoded") -> dict[str, str]: ...


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP call."""

    method: str = "POST"
    url: str
    query: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}
    body: Body | None = None
    signer: Signer | None = None
    overrides: Literal["all", "passthrough", "none"] = "all"
    """Which of the message's overrides are laid over it: none for look-ups before the message."""
    http2: bool = False


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """A request in bytes, as it goes out; what a signer signs."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    http2: bool = False


class Response(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    body: bytes = b""

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON; None when it is something else."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


class SmtpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One mail through one server."""

    host: str
    port: int
    secure: bool = False
    """TLS from the first byte."""
    require_tls: bool = False
    ignore_tls: bool = False
    tls_options: Mapping[str, Any] = {}
    user: str = ""
    password: str = ""
    sender: str
    recipients: tuple[str, ...]
    content: bytes


class SmtpResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The server's last word, and those recipients it refused."""

    code: int
    text: str = ""
    refused: Mapping[str, tuple[int, str]] = {}


class Grant(msgspec.Struct, frozen=True):
    """An access token and for how many seconds it may be used."""

    token: str
    seconds: float


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for an access token: a kept one while it lasts, else the one that `obtain` brings.

    `token = yield Token(...)` always receives text: a `Result` from `obtain` ends the conversation.
    """

    key: str = ""
    """Tells several tokens of one integration apart."""
    obtain: "Callable[[], Generator[Request, Response, Grant | Result]]"
    again: bool = False
    """The kept one was refused: get another."""


Step = Request | SmtpRequest | Token
Conversation: TypeAlias = Generator[Step, Any, Result]


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a vendor makes to us."""

    method: str = "POST"
    url: str
    """In full, as the vendor called it, query included: some sign it."""
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    body: bytes = b""
    at: datetime
    fetched: bytes = b""
    """What `Provider.needs` asked for, such as the certificate to verify with."""


def encode(request: Request) -> Encoded:
    """The request in bytes, signed."""
    url = request.url
    if request.query:
        url += ("&" if "?" in url else "?") + urlencode(request.query, doseq=True)
    mime, body = _body(request.body)
    headers = {name: value for name, value in request.headers.items() if value != ""}
    if mime and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = mime
    encoded = Encoded(
        method=request.method, url=url, headers=headers, body=body, http2=request.http2
    )
    if request.signer is None:
        return encoded
    signed = {**headers, **request.signer.headers(encoded)}
    return msgspec.structs.replace(encoded, headers=signed)


def _body(body: Body | None) -> tuple[str, bytes]:
    match body:
        case None:
            return "", b""
        case Json(value):
            return "application/json", msgspec.json.encode(value)
        case Form(fields):
            given = {name: value for name, value in fields.items() if value is not None}
            return "application/x-www-form-urlencoded", urlencode(given, doseq=True).encode()
        case Multipart(parts):
            return _multipart(parts)
        case Raw(content, mime):
            return mime, content


_BOUNDARY = "tidings-boundary-7d1f0c5a9be24e63"


def _multipart(parts: tuple[Part, ...]) -> tuple[str, bytes]:
    boundary = _BOUNDARY
    contents = [p.content.encode() if isinstance(p.content, str) else p.content for p in parts]
    while any(boundary.encode() in content for content in contents):
        boundary += "x"
    lines = []
    for part, content in zip(parts, contents, strict=True):
        head = f'Content-Disposition: form-data; name="{_quoted(part.name)}"'
        if part.filename is not None:
            head += f'; filename="{_quoted(part.filename)}"'
        if part.mime is not None:
            head += f"\r\nContent-Type: {part.mime}"
        lines.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
    body = b"".join(lines) + f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", body


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
