"""Every failure has the decided shape."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest
from litestar import get, post
from litestar.params import FromQuery, JSONBody

from tests.conftest import caller_of
from tests.doors import open_probe
from tidings.api.door import Parts
from tidings.domain import errors
from tidings.storage.database import AWAY

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Inner(msgspec.Struct, rename="camel"):
    amount: int


class In(msgspec.Struct, rename="camel"):
    subscriber_id: str
    inner: list[Inner] = []
    enabled: bool = False


@post("/v1/probe")
async def take(data: JSONBody[In]) -> None:
    pass


@get("/v1/probe")
async def count(limit: FromQuery[int] = 10) -> int:
    return limit


RAISED: dict[str, Exception] = {
    "refused": errors.RefusedError("Not now.", workflowId="w"),
    "forbidden": errors.ForbiddenError("Not you."),
    "missing": errors.NotFoundError("Not there.", subscriberId="s"),
    "conflict": errors.ConflictError("Twice."),
    "invalid": errors.InvalidError.of("a.b", "must be good", 3),
    "bug": ZeroDivisionError("a secret detail"),
    "away": AWAY[0]("gone"),
    "timeout": TimeoutError(),
}


@get("/v1/raise")
async def fail(kind: FromQuery[str]) -> None:
    raise RAISED[kind]


@pytest.fixture
async def probe(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    async with caller_of(open_probe(parts, take, count, fail)) as client:
        yield client


def check_shape(answer: httpx.Response, status: int, error: str) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert answer.status_code == status
    assert body["statusCode"] == status
    assert body["error"] == error
    assert TIMESTAMP.fullmatch(body["timestamp"])
    assert body["path"] == answer.request.url.raw_path.decode()
    assert isinstance(body["message"], str)
    assert isinstance(body["ctx"], dict)
    assert body["ctx"].items() <= body.items()
    assert "Traceback" not in answer.text
    return body


async def test_an_unknown_address(probe: httpx.AsyncClient) -> None:
    body = check_shape(await probe.get("/v1/nothing?a=1"), 404, "Not Found")
    assert "/docs" in body["message"]


async def test_a_method_that_is_not_served(probe: httpx.AsyncClient) -> None:
    answer = await probe.delete("/v1/probe")
    check_shape(answer, 405, "Method Not Allowed")
    assert set(answer.headers["allow"].replace(" ", "").split(",")) >= {"GET", "POST"}


async def test_malformed_json(probe: httpx.AsyncClient) -> None:
    for content in (b"{bad", b'{"a": 1}}', b"\xff\xfe", b'{"subscriberId": "\xff"}'):
        answer = await probe.post(
            "/v1/probe", content=content, headers={"Content-Type": "application/json"}
        )
        body = check_shape(answer, 400, "Bad Request")
        assert "not valid JSON" in body["message"]


async def test_deep_nesting(probe: httpx.AsyncClient) -> None:
    content = b'{"subscriberId": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    answer = await probe.post(
        "/v1/probe", content=content, headers={"Content-Type": "application/json"}
    )
    check_shape(answer, 400, "Bad Request")


async def test_another_content_type(probe: httpx.AsyncClient) -> None:
    answer = await probe.post("/v1/probe", content=b"a=1", headers={"Content-Type": "text/plain"})
    body = check_shape(answer, 415, "Unsupported Media Type")
    assert "application/json" in body["message"]
    answer = await probe.post(
        "/v1/probe",
        content=b'{"subscriberId": "a"}',
        headers={"Content-Type": "Application/JSON; charset=utf-8"},
    )
    assert answer.status_code == 201


@pytest.mark.parametrize("keyed", [False, True])
async def test_a_body_over_the_limit(probe: httpx.AsyncClient, keyed: bool) -> None:
    headers = {"idempotency-key": "k"} if keyed else {}
    answer = await probe.post("/v1/probe", json={"subscriberId": "x" * 600_000}, headers=headers)
    check_shape(answer, 413, "Request Entity Too Large")


async def test_no_body_where_one_is_needed(probe: httpx.AsyncClient) -> None:
    body = check_shape(await probe.post("/v1/probe"), 422, "Unprocessable Entity")
    assert body["errors"] == {"body": {"messages": ["A JSON body is required."]}}


@pytest.mark.parametrize(
    ("sent", "field", "message", "value"),
    [
        ({"subscriberId": 7}, "subscriberId", "must be a string, got a whole number", 7),
        ({}, "subscriberId", "is required", None),
        (
            {"subscriberId": "a", "inner": [{"amount": 1}, {"amount": "x"}]},
            "inner.1.amount",
            "must be a whole number, got a string",
            "x",
        ),
        ({"subscriberId": "a", "inner": [{}]}, "inner.0.amount", "is required", None),
        (
            {"subscriberId": "a", "enabled": "false"},
            "enabled",
            "must be true or false, got a string",
            "false",
        ),
        (["a"], "body", "must be an object, got a list", ["a"]),
    ],
)
async def test_a_wrong_field_is_named_with_its_value(
    probe: httpx.AsyncClient, sent: Any, field: str, message: str, value: Any
) -> None:
    body = check_shape(await probe.post("/v1/probe", json=sent), 422, "Unprocessable Entity")
    assert body["message"] == "Validation Error"
    assert body["errors"][field]["messages"] == [message]
    assert body["errors"][field].get("value") == value


async def test_a_wrong_query_parameter(probe: httpx.AsyncClient) -> None:
    body = check_shape(await probe.get("/v1/probe?limit=many"), 422, "Unprocessable Entity")
    expected = {"messages": ["must be a whole number, got a string"], "value": "many"}
    assert body["errors"] == {"limit": expected}


async def test_a_whole_number_may_come_as_a_float(probe: httpx.AsyncClient) -> None:
    assert (await probe.get("/v1/probe?limit=2.0")).json() == 2


async def test_unknown_keys_are_ignored(probe: httpx.AsyncClient) -> None:
    assert (await probe.post("/v1/probe", json={"subscriberId": "a", "x": 1})).status_code == 201


@pytest.mark.parametrize(
    ("kind", "status", "error"),
    [
        ("refused", 400, "Bad Request"),
        ("forbidden", 403, "Forbidden"),
        ("missing", 404, "Not Found"),
        ("conflict", 409, "Conflict"),
        ("invalid", 422, "Unprocessable Entity"),
    ],
)
async def test_what_the_domain_refuses(
    probe: httpx.AsyncClient, kind: str, status: int, error: str
) -> None:
    check_shape(await probe.get(f"/v1/raise?kind={kind}"), status, error)


async def test_details_stand_in_ctx_and_at_the_top(probe: httpx.AsyncClient) -> None:
    body = (await probe.get("/v1/raise?kind=missing")).json()
    assert body["ctx"] == {"subscriberId": "s"}
    assert body["subscriberId"] == "s"


async def test_a_bug_has_an_id_and_tells_nothing(
    probe: httpx.AsyncClient, capfd: pytest.CaptureFixture[str]
) -> None:
    from tidings import log

    log.configure("json")
    body = check_shape(await probe.get("/v1/raise?kind=bug"), 500, "Internal Server Error")
    assert "secret detail" not in str(body)
    said = capfd.readouterr().err
    assert body["errorId"] in said
    assert "ZeroDivisionError" in said


@pytest.mark.parametrize("kind", ["away", "timeout"])
async def test_a_database_that_is_away(probe: httpx.AsyncClient, kind: str) -> None:
    answer = await probe.get(f"/v1/raise?kind={kind}")
    check_shape(answer, 503, "Service Unavailable")
    assert int(answer.headers["retry-after"]) >= 1


async def test_a_request_id_is_kept_or_made(probe: httpx.AsyncClient) -> None:
    kept = await probe.get("/v1/nothing", headers={"X-Request-Id": "abc-1"})
    assert kept.headers["x-request-id"] == "abc-1"
    made = await probe.get("/v1/nothing", headers={"X-Request-Id": "no spaces allowed"})
    assert re.fullmatch(r"[0-9a-f]{32}", made.headers["x-request-id"])
