"""Apple Push Notification service, also over a real HTTP/2 connection."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt as pyjwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypercorn.asyncio import serve
from hypercorn.config import Config

from tests.certificates import self_signed
from tidings.domain.integrations import Credentials
from tidings.providers.delivery import Network, send
from tidings.providers.exchange import Encoded, Json, Response
from tidings.providers.fake import FakeMail, fake_network
from tidings.providers.fake_vendor import ANY, Call
from tidings.providers.guard import Guard
from tidings.providers.messages import PushMessage
from tidings.providers.push.apns import Apns
from tidings.providers.transport import HttpTransport

_KEY = ec.generate_private_key(ec.SECP256R1())
_PEM = _KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
CREDENTIALS = {
    "secretKey": _PEM,
    "apiKey": "KEYID00001",
    "projectName": "TEAMID0001",
    "applicationId": "com.example.app",
    "secure": True,
}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _bears_our_token(headers: dict[str, str]) -> bool:
    """As Apple: scheme, signature, key, team and age."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    try:
        options: Any = {"verify_iat": False}
        claims = pyjwt.decode(token, _KEY.public_key(), ["ES256"], options=options)
    except pyjwt.InvalidTokenError:
        return False
    return (
        scheme == "bearer"
        and pyjwt.get_unverified_header(token)["kid"] == "KEYID00001"
        and claims == {"iss": "TEAMID0001", "iat": int(NOW.timestamp())}
    )


SENT = Response(status=200, headers={"apns-id": "EC1BF194-B3B2-424A-89F5-5A918A6E6B5D"})
SENT_ID = "EC1BF194-B3B2-424A-89F5-5A918A6E6B5D"
CALLS = [
    Call(
        url="https://api.push.apple.com/3/device/token",
        known=lambda request: request.http2 and _bears_our_token(request.headers),
        headers={
            "apns-topic": "com.example.app",
            "apns-push-type": "alert",
            "apns-priority": "10",
        },
        body={"aps!": {"alert!": {"title": str, "body!": str}}, "order": ANY, "who": ANY},
        answer=SENT,
        denied=Response(status=403, body=b'{"reason":"InvalidProviderToken"}'),
    )
]


def _error(status: int, reason: str) -> Response:
    return Response(status=status, body=f'{{"reason":"{reason}"}}'.encode())


REFUSALS = [
    (_error(400, "BadDeviceToken"), "bad_recipient"),
    (_error(400, "DeviceTokenNotForTopic"), "bad_recipient"),
    (_error(410, "Unregistered"), "bad_recipient"),
    (_error(410, "ExpiredToken"), "bad_recipient"),
    (_error(403, "InvalidProviderToken"), "bad_credentials"),
    (_error(403, "MissingProviderToken"), "bad_credentials"),
    (_error(400, "BadTopic"), "bad_credentials"),
    (_error(400, "TopicDisallowed"), "bad_credentials"),
    (_error(413, "PayloadTooLarge"), "bad_request"),
    (_error(400, "BadPriority"), "bad_request"),
    (_error(429, "TooManyRequests"), "throttled"),
    (_error(429, "TooManyProviderTokenUpdates"), "throttled"),
    (_error(500, "InternalServerError"), "retryable"),
]
MESSAGE = PushMessage(id="m1", targets=("abc",), title="Hi", content="Hello", payload={"n": 7})


def _request(message: PushMessage, **more: Any) -> Any:
    return Apns().send_request(message, Credentials(application_id="com.example.app", **more), "t")


def test_overrides_become_headers_or_go_into_aps() -> None:
    overrides = {
        "topic": "com.example.voip",
        "pushType": "background",
        "priority": 5,
        "expiry": 0,
        "collapseId": "c",
        "badge": 3,
        "contentAvailable": True,
        "threadId": "x",
        "alert": {"subtitle": "S"},
    }
    request = _request(msgspec.structs.replace(MESSAGE, overrides=overrides))
    assert {k: v for k, v in request.headers.items() if k != "apns-id"} == {
        "authorization": "bearer t",
        "apns-topic": "com.example.voip",
        "apns-push-type": "background",
        "apns-priority": "5",
        "apns-expiration": "0",
        "apns-collapse-id": "c",
    }
    assert request.body == Json(
        {
            "n": 7,
            "aps": {
                "alert": {"title": "Hi", "body": "Hello", "subtitle": "S"},
                "badge": 3,
                "content-available": 1,
                "thread-id": "x",
            },
        }
    )


def test_the_environment_and_the_path() -> None:
    assert _request(MESSAGE).url == "https://api.sandbox.push.apple.com/3/device/abc"
    assert _request(MESSAGE, secure=True).url == "https://api.push.apple.com/3/device/abc"
    odd = msgspec.structs.replace(MESSAGE, targets=("../x?y",))
    assert _request(odd).url.endswith("/3/device/..%2Fx%3Fy")


def test_each_attempt_has_the_same_id_and_each_device_its_own() -> None:
    first, again = _request(MESSAGE), _request(MESSAGE)
    other = _request(msgspec.structs.replace(MESSAGE, targets=("def",)))
    assert first.headers["apns-id"] == again.headers["apns-id"] != other.headers["apns-id"]


async def test_an_expired_token_is_made_anew_once() -> None:
    expired = _error(403, "ExpiredProviderToken")
    network, http, _ = fake_network([expired, SENT])
    assert (await send(Apns(), CREDENTIALS, MESSAGE, network, NOW)).outcome == "sent"
    tokens = [request.headers["authorization"] for request in http.requests]
    assert len(set(tokens)) == 2
    network, http, _ = fake_network([expired])
    assert (await send(Apns(), CREDENTIALS, MESSAGE, network, NOW)).outcome == "bad_credentials"
    assert len(http.requests) == 2


async def test_a_token_is_used_again() -> None:
    network, http, _ = fake_network([SENT])
    for minutes in (0, 30):
        at = NOW + timedelta(minutes=minutes)
        await send(Apns(), CREDENTIALS, MESSAGE, network, at)
    assert len({request.headers["authorization"] for request in http.requests}) == 1


async def test_a_key_that_is_none() -> None:
    network, http, _ = fake_network([SENT])
    wrong = {**CREDENTIALS, "secretKey": "-----BEGIN PRIVATE KEY-----"}
    result = await send(Apns(), wrong, MESSAGE, network, NOW)
    assert result.outcome == "bad_credentials"
    assert http.requests == []


async def test_a_bad_token_may_belong_to_the_other_environment() -> None:
    network, _, _ = fake_network([_error(400, "BadDeviceToken")])
    result = await send(Apns(), CREDENTIALS, MESSAGE, network, NOW)
    assert result.code == "BadDeviceToken"
    assert "sandbox" in result.reason


class Apple:
    """A server that speaks HTTP/2 alone and keeps what it heard."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.heard.append(
            {"version": scope["http_version"], "path": scope["path"], "headers": headers}
            | {"body": json.loads(body)}
        )
        status = 200 if _bears_our_token(headers) else 403
        answer = b"" if status == 200 else b'{"reason":"InvalidProviderToken"}'
        own = [(b"apns-id", headers["apns-id"].encode())]
        await send({"type": "http.response.start", "status": status, "headers": own})
        await send({"type": "http.response.body", "body": answer})


@pytest.fixture
async def apple(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Apple, str]]:
    certificate, _ = self_signed(tmp_path, "127.0.0.1")
    monkeypatch.setattr("certifi.where", lambda: str(certificate))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = Config()
    config.bind = [f"fd://{listening.fileno()}"]
    config.certfile = config.keyfile = str(certificate)
    config.alpn_protocols = ["h2"]
    config.graceful_timeout = 0.1
    config.accesslog = config.errorlog = None
    app, stop = Apple(), asyncio.Event()
    running = asyncio.create_task(serve(app, config, shutdown_trigger=stop.wait))
    yield app, f"https://127.0.0.1:{listening.getsockname()[1]}"
    stop.set()
    await running


class Diverted:
    """The real transport, to the server on this machine instead of Apple's."""

    def __init__(self, base: str) -> None:
        self._transport = HttpTransport(Guard(loopback=True))
        self._base = base

    async def send(self, request: Encoded) -> Response:
        url = request.url.replace("https://api.push.apple.com", self._base)
        return await self._transport.send(msgspec.structs.replace(request, url=url))

    async def close(self) -> None:
        await self._transport.close()


async def test_over_http2(apple: tuple[Apple, str]) -> None:
    app, base = apple
    http = Diverted(base)
    message = msgspec.structs.replace(MESSAGE, targets=("abc", "def"))
    result = await send(Apns(), CREDENTIALS, message, Network(http, FakeMail()), NOW)
    wrong = {**CREDENTIALS, "apiKey": "ANOTHERKEY"}
    refused = await send(Apns(), wrong, MESSAGE, Network(http, FakeMail()), NOW)
    await http.close()
    assert result.outcome == "sent", result
    assert {each["version"] for each in app.heard} == {"2"}
    assert {each["path"] for each in app.heard[:2]} == {"/3/device/abc", "/3/device/def"}
    assert app.heard[0]["body"] == {"n": 7, "aps": {"alert": {"title": "Hi", "body": "Hello"}}}
    assert {verdict.id for verdict in result.verdicts} == {
        each["headers"]["apns-id"] for each in app.heard[:2]
    }
    assert refused.outcome == "bad_credentials"
