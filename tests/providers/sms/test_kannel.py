"""Kannel: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

from aiohttp import web

from tidings.providers.delivery import Network, send
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.kannel import Kannel

CREDENTIALS = {
    "host": "kannel.example",
    "port": "13013",
    "from": "Tidings",
    "user": "ada",
    "password": "password-0001",
}
SENT = Response(status=202, body=b"0: Accepted for delivery")
SENT_ID = None
CALLS = [
    Call(
        method="GET",
        url="http://kannel.example:13013/cgi-bin/sendsms",
        known=lambda request: "username=ada&password=password-0001" in request.url,
        mime="",
        query={
            "username!": str,
            "password!": str,
            "from!": "Tidings",
            "to!": "15005550006",
            "text!": str,
            "charset": "UTF-8",
            "coding": "2",
        },
        answer=SENT,
        denied=Response(status=403, body=b"Authorization failed for sendsms"),
    )
]
REFUSALS = [
    (Response(status=403, body=b"Authorization failed for sendsms"), "bad_credentials"),
    (Response(status=400, body=b"Empty text not allowed"), "bad_request"),
    (Response(status=400, body=b"Receiver number is invalid"), "bad_recipient"),
    (Response(status=503, body=b"Temporal failure, try again later."), "retryable"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (called(id="m1", status="1"), KEY, [Event(message_id="m1", happened="delivered")]),
    (called(id="m1", status="16"), KEY, [Event(message_id="m1", happened="rejected")]),
]


async def test_sends_over_a_real_connection() -> None:
    asked = []

    async def sendsms(request: web.Request) -> web.Response:
        asked.append(dict(request.query))
        return web.Response(status=202, text="3: Queued for later delivery")

    app = web.Application()
    app.router.add_get("/cgi-bin/sendsms", sendsms)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    network = Network.guarded((), True, ())
    port = str(runner.addresses[0][1])
    credentials = {**CREDENTIALS, "host": "127.0.0.1", "port": port}
    message = SmsMessage(id="m1", to="+15005550006", content="Привет & 100%")
    result = await send(Kannel(), credentials, message, network, NOW)
    await network.close()
    await runner.cleanup()
    assert (result.outcome, result.id) == ("sent", "m1")
    assert asked[0]["text"] == "Привет & 100%"
    assert (asked[0]["to"], asked[0]["coding"]) == ("15005550006", "2")


async def test_overrides_reach_the_query() -> None:
    network, http, _ = fake_network([SENT])
    message = SmsMessage(
        id="m1",
        to="+15005550006",
        content="Hi",
        overrides={"dlr-mask": 31, "_passthrough": {"body": {"priority": 1}}},
    )
    await send(Kannel(), CREDENTIALS, message, network, NOW)
    assert "dlr-mask=31&priority=1" in http.requests[0].url
    assert http.requests[0].body == b""
