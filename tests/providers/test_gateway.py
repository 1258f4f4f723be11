"""Regional gateways that are described and not programmed, each as strict as its page would be."""

from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest

from tidings.domain.errors import InvalidError
from tidings.providers.chat.chat_webhook import ChatWebhook
from tidings.providers.credentials import check
from tidings.providers.delivery import Network, send
from tidings.providers.email.email_webhook import EmailWebhook
from tidings.providers.exchange import Encoded, Response
from tidings.providers.fake import FakeMail, fake_network
from tidings.providers.fake_vendor import Call, FakeVendor
from tidings.providers.guard import Guard
from tidings.providers.messages import ChatMessage, EmailMessage, PushMessage, SmsMessage
from tidings.providers.push.push_webhook import PushWebhook
from tidings.providers.signing import hmac_hex
from tidings.providers.sms.generic_sms import GenericSms
from tidings.providers.smtp import SmtpTransport
from tidings.providers.transport import HttpTransport, UnreachableError

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SMS = SmsMessage(
    id="m1", to="+254700000001", content='Grüße & "50 %"', custom_data={"campaign": "spring"}
)
KEYS = {"apiKey": "user-name-01", "secretKey": "pass-word-01", "from": "SHOP"}

BY_QUERY: dict[str, Any] = {
    **KEYS,
    "baseUrl": "https://sms.example/http/send?user={{apiKey}}&pass={{secretKey}}"
    "&to={{toDigits}}&from={{from}}&text={{content}}",
    "requestMethod": "GET",
    "successPath": ".",
    "successValue": "OK*",
    "idPath": ".",
}
BY_FORM: dict[str, Any] = {
    **KEYS,
    "baseUrl": "https://sms.example/v1/messages",
    "requestHeaders": {"Authorization": "Basic {{basicAuth}}", "X-Reference": "{{id}}"},
    "requestBody": "recipient={{to}}&body={{content}}&sender={{from}}&tag={{customData.campaign}}",
    "successPath": "status",
    "successValue": "queued, sent",
    "errorPath": "error.text",
    "idPath": "message.0.id",
    "datePath": "message.0.at",
}
BY_JSON: dict[str, Any] = {
    **KEYS,
    "baseUrl": "https://sms.example/v2/{{from}}/sms",
    "requestMethod": "PUT",
    "requestHeaders": {"authorization": "Bearer {{apiKey}}"},
    "requestBody": '{"messages": [{"to": ["{{to}}"], "text": "{{content}}", "x": "{{customData}}", '
    '"ref": "tidings-{{id}}"}]}',
    "idPath": "ids.0",
}
BY_XML: dict[str, Any] = {
    **KEYS,
    "baseUrl": "https://sms.example/xml",
    "requestBody": '<send key="{{apiKey}}"><to>{{to}}</to><text>{{content}}</text></send>',
    "successPath": "/reply/code",
    "successValue": "0",
    "idPath": "/reply/message/id",
    "errorPath": "/reply/error",
}
OK_JSON = Response(status=200, body=b'{"ids":["g1"]}')
OK_FORM = Response(
    status=201, body=b'{"status":"queued","message":[{"id":"g1","at":"2026-01-02T00:00:00Z"}]}'
)
OK_XML = Response(status=200, body=b"<reply><code>0</code><message><id>g1</id></message></reply>")


def _xml(request: Encoded) -> bool:
    return request.body.decode() == (
        '<send key="user-name-01"><to>+254700000001</to>'
        "<text>Grüße &amp; &quot;50 %&quot;</text></send>"
    )


GATEWAYS = {
    "query": (
        BY_QUERY,
        Call(
            method="GET",
            url="https://sms.example/http/send",
            mime="",
            known=lambda request: "user=user-name-01&pass=pass-word-01" in request.url,
            query={
                "user!": "user-name-01",
                "pass!": "pass-word-01",
                "to!": "254700000001",
                "from!": "SHOP",
                "text!": 'Grüße & "50 %"',
            },
            answer=Response(status=200, body=b"OK g1"),
        ),
        "OK g1",
    ),
    "form": (
        BY_FORM,
        Call(
            url="https://sms.example/v1/messages",
            auth={"authorization": "Basic dXNlci1uYW1lLTAxOnBhc3Mtd29yZC0wMQ=="},
            headers={"x-reference": "m1"},
            mime="application/x-www-form-urlencoded",
            body={
                "recipient!": "+254700000001",
                "body!": 'Grüße & "50 %"',
                "sender!": "SHOP",
                "tag!": "spring",
            },
            answer=OK_FORM,
        ),
        "g1",
    ),
    "json": (
        BY_JSON,
        Call(
            method="PUT",
            url="https://sms.example/v2/SHOP/sms",
            auth={"authorization": "Bearer user-name-01"},
            body={
                "messages!": [
                    {
                        "to!": [str],
                        "text!": 'Grüße & "50 %"',
                        "x!": {"campaign": "spring"},
                        "ref!": "tidings-m1",
                    }
                ]
            },
            answer=OK_JSON,
        ),
        "g1",
    ),
}


@pytest.mark.parametrize("name", GATEWAYS)
async def test_a_strict_gateway_takes_the_message(name: str) -> None:
    credentials, call, id = GATEWAYS[name]
    check(GenericSms.credentials, credentials, True, ())
    vendor = FakeVendor(call)
    result = await send(GenericSms(), credentials, SMS, Network(vendor, FakeMail()), NOW)
    assert not vendor.faults
    assert (result.outcome, result.id) == ("sent", id)
    assert result.date is not None


@pytest.mark.parametrize("name", GATEWAYS)
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Response(status=401, body=b"who are you"), "bad_credentials"),
        (Response(status=429, headers={"retry-after": "7"}), "throttled"),
        (Response(status=503), "retryable"),
        (Response(status=422, body=b"bad number"), "bad_request"),
        (UnreachableError("too slow"), "retryable"),
    ],
)
async def test_its_refusals_have_their_class(name: str, answer: Any, outcome: str) -> None:
    network, _, _ = fake_network([answer])
    result = await send(GenericSms(), GATEWAYS[name][0], SMS, network, NOW)
    assert result.outcome == outcome


async def test_xml_both_ways() -> None:
    network, http, _ = fake_network([OK_XML])
    result = await send(GenericSms(), BY_XML, SMS, network, NOW)
    assert (result.outcome, result.id) == ("sent", "g1")
    assert _xml(http.requests[0])
    assert http.requests[0].headers["Content-Type"] == "application/xml"
    refused = Response(status=200, body=b"<reply><code>7</code><error>no credit</error></reply>")
    network, _, _ = fake_network([refused])
    result = await send(GenericSms(), BY_XML, SMS, network, NOW)
    assert (result.outcome, result.reason) == ("bad_request", "no credit")


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b"\xff\x00", b'{"status":"refused"}'])
async def test_a_success_must_say_so_where_it_was_told_to(body: bytes) -> None:
    network, _, _ = fake_network([Response(status=200, body=body)])
    for credentials in (BY_QUERY, BY_FORM, BY_XML):
        result = await send(GenericSms(), credentials, SMS, network, NOW)
        assert result.outcome == "bad_request"
    network, _, _ = fake_network(
        [Response(status=200, body=b'{"status":"no","error":{"text":"pass-word-01 is wrong"}}')]
    )
    result = await send(GenericSms(), BY_FORM, SMS, network, NOW)
    assert result.reason == "[hidden] is wrong"


async def test_a_token_goes_where_it_was_told_to() -> None:
    credentials = {
        **KEYS,
        "baseUrl": "https://sms.example/send",
        "apiKeyRequestHeader": "X-Key",
        "authenticateByToken": True,
        "domain": "https://sms.example/token",
        "authenticationTokenKey": "access",
        "requestHeaders": {"Authorization": "Bearer {{token}}"},
    }
    token = Response(status=200, body=b'{"data":{"access":"t1"}}')
    network, http, _ = fake_network([token, Response(status=200, body=b'{"id":"g"}')])
    assert (await send(GenericSms(), credentials, SMS, network, NOW)).outcome == "sent"
    assert http.requests[1].headers["Authorization"] == "Bearer t1"
    assert not {"access", "X-Key"} & set(http.requests[1].headers)


async def test_a_gateway_that_could_not_know_the_caller_is_not_called() -> None:
    network, http, _ = fake_network()
    credentials = {**KEYS, "baseUrl": "https://sms.example/send"}
    result = await send(GenericSms(), credentials, SMS, network, NOW)
    assert result.outcome == "bad_credentials"
    assert "API key header" in result.reason
    assert not http.requests


async def test_overrides_are_laid_over_what_is_described() -> None:
    network, http, _ = fake_network([OK_FORM])
    message = msgspec.structs.replace(SMS, overrides={"_passthrough": {"body": {"flash": "1"}}})
    await send(GenericSms(), BY_FORM, message, network, NOW)
    assert b"flash=1" in http.requests[0].body


async def test_the_webhooks_are_described_alike() -> None:
    described = {
        "webhookUrl": "https://hook.example/{{id}}",
        "secretKey": "signing-key-01",
        "requestMethod": "PATCH",
        "idPath": "reply.ref",
        "successPath": "reply.ok",
    }
    taken = Response(status=200, body=b'{"reply":{"ref":"r1","ok":true}}')
    email = {
        **described,
        "from": "news@example.com",
        "requestBody": '{"rcpt": "{{to}}", "s": "{{subject}}", "copy": "{{cc}}"}',
    }
    network, http, _ = fake_network([taken])
    mail = EmailMessage(id="m1", to=("a@x.example", "b@x.example"), subject="Hi", html="<p>")
    result = await send(EmailWebhook(), email, mail, network, NOW)
    assert (result.outcome, result.id) == ("sent", "r1")
    (sent,) = http.requests
    assert (sent.method, sent.url) == ("PATCH", "https://hook.example/m1")
    assert msgspec.json.decode(sent.body) == {"rcpt": ["a@x.example", "b@x.example"], "s": "Hi"}
    assert sent.headers["X-Tidings-Signature"] == hmac_hex("signing-key-01", sent.body)

    push = {**described, "requestBody": '{"d": "{{target.0}}", "o": "{{payload.order}}"}'}
    message = PushMessage(id="m1", targets=("t",), title="", content="x", payload={"order": 7})
    network, http, _ = fake_network([taken])
    assert (await send(PushWebhook(), push, message, network, NOW)).id == "r1"
    assert msgspec.json.decode(http.requests[0].body) == {"d": "t", "o": 7}

    chat = {"requestBody": '{"markdown": "{{content}}"}', "idPath": "reply.ref"}
    room = ChatMessage(id="m1", content="Hi", webhook_url="https://room.example/{{id}}")
    network, http, _ = fake_network([taken])
    assert (await send(ChatWebhook(), chat, room, network, NOW)).id == "r1"
    assert http.requests[0].url == "https://room.example/{{id}}"
    assert http.requests[0].body == b'{"markdown":"Hi"}'


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("requestMethod", "DELETE", "must be one of POST, GET, PUT, PATCH"),
        ("requestBody", '{"to": "{{recipient}}"}', "must not hold {{recipient}}"),
        ("requestBody", '{"to": {{to}}}', "inside quotes"),
        ("baseUrl", "https://{{to}}.example/", "host without placeholders"),
        ("baseUrl", "https://a.example/{{number}}", "must not hold {{number}}"),
        ("requestHeaders", {"Host": "b.example"}, "cannot hold 'Host'"),
        ("requestHeaders", {"X Y": "1"}, "cannot hold 'X Y'"),
        ("requestHeaders", {"X": "a\nb"}, "printable"),
        ("requestHeaders", {"X": "{{what}}"}, "{{what}}"),
        ("requestHeaders", {"X-Api-Key": "abc"}, "keep the secret in a credential"),
        ("idPath", "/a[1", "must be a path"),
        ("successPath", "a b", "must be a path"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_saved(field: str, value: Any, words: str) -> None:
    with pytest.raises(InvalidError) as caught:
        check(GenericSms.credentials, {**BY_FORM, field: value}, True, ())
    (problem,) = caught.value.problems.values()
    assert words in problem.messages[0]


async def test_the_address_guard_stands_before_it() -> None:
    guard = Guard()
    network = Network(HttpTransport(guard), SmtpTransport(guard))
    for host in ("127.0.0.1:1", "169.254.169.254", "[::1]", "0x7f.1", "10.0.0.1"):
        result = await send(
            GenericSms(), {**BY_FORM, "baseUrl": f"http://{host}/x/{{{{to}}}}"}, SMS, network, NOW
        )
        assert result.outcome == "bad_request", host
    await network.close()


async def test_it_is_kept_and_answered_beside_the_other_credentials(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post(
        "/v1/integrations",
        json={"providerId": "generic-sms", "active": True, "credentials": BY_FORM},
    )
    assert answer.status_code == 201, answer.text
    shown = answer.json()["credentials"]
    assert shown["requestHeaders"] == BY_FORM["requestHeaders"]
    assert shown["requestBody"] == BY_FORM["requestBody"]
    assert shown["apiKey"].endswith("e-01")
    assert shown["apiKey"] != BY_FORM["apiKey"]
    refused = await client.post(
        "/v1/integrations",
        json={
            "providerId": "generic-sms",
            "credentials": {**BY_FORM, "requestBody": "to={{recipient}}"},
        },
    )
    assert refused.status_code == 422
    assert "credentials.requestBody" in refused.json()["errors"]
    plain = await client.post(
        "/v1/integrations",
        json={"providerId": "chat-webhook", "active": True, "credentials": {}},
    )
    assert plain.json()["credentials"] == {}
