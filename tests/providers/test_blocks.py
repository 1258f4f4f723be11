"""Readers, verdicts, dates and waits."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.providers.blocks import (
    address,
    digits,
    e164,
    first,
    found,
    header,
    is_gsm,
    judge,
    moment,
    on,
    path,
    retry_after,
    text,
    xml,
)
from tidings.providers.blocks import (
    given as having,
)
from tidings.providers.exchange import Response
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, by_status


def answer(status: int = 200, body: bytes = b"", **headers: str) -> Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status=status, headers=names, body=body)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "sent"),
        (202, "sent"),
        (204, "sent"),
        (301, "bad_request"),
        (400, "bad_request"),
        (401, "bad_credentials"),
        (402, "bad_credentials"),
        (403, "bad_credentials"),
        (404, "bad_request"),
        (407, "bad_credentials"),
        (408, "retryable"),
        (425, "retryable"),
        (429, "throttled"),
        (500, "retryable"),
        (503, "retryable"),
        (599, "retryable"),
    ],
)
def test_the_common_table(status: int, outcome: str) -> None:
    assert by_status(status) == outcome
    assert judge(answer(status)).outcome == outcome


def test_readers() -> None:
    response = answer(body=b'{"data":[{"id":7}]}', x_id="h")
    assert path("data.0.id")(response) == 7
    assert path("data.1.id")(response) is None
    assert header("X-Id")(response) == "h"
    assert first(path("nope"), header("x-id"))(response) == "h"
    assert found(r"(\d)")(response) == "7"
    assert text(answer(body=b" ok \n")) == "ok"
    soap = b'<a:R xmlns:a="urn:x" xmlns="urn:y"><B><C>id-1</C></B></a:R>'
    assert xml("B/C")(answer(body=soap.replace(b"a:", b""))) == "id-1"
    assert xml("B/C")(answer(body=b"<!DOCTYPE x><R/>")) is None
    assert xml("B/C")(answer(body=b"not xml")) is None


def test_rules_come_before_the_table_and_only_for_failures() -> None:
    rules = [
        on(BAD_RECIPIENT, 422, at="code", among=(300, 406)),
        on(BAD_CREDENTIALS, at="message", like="not verified"),
    ]
    assert judge(answer(422, b'{"code":300}'), rules=rules).outcome == BAD_RECIPIENT
    assert judge(answer(422, b'{"code":1}'), rules=rules).outcome == "bad_request"
    told = answer(400, b'{"message":"Sender NOT verified"}')
    result = judge(told, rules=rules, reason=path("message"))
    assert (result.outcome, result.reason) == (BAD_CREDENTIALS, "Sender NOT verified")
    assert judge(answer(200, b'{"code":300}'), rules=rules).outcome == "sent"


def test_a_failure_inside_a_success() -> None:
    accepted = on("sent", at="status", among=("0",))
    rules = [on(BAD_RECIPIENT, at="status", among=("6",))]
    good = judge(answer(200, b'{"status":"0","id":1}'), accepted=accepted, message_id=path("id"))
    assert (good.outcome, good.id) == ("sent", "1")
    assert judge(answer(200, b'{"status":"6"}'), accepted=accepted, rules=rules).outcome == (
        BAD_RECIPIENT
    )
    assert judge(answer(200, b'{"status":"9"}'), accepted=accepted, rules=rules).outcome == (
        "bad_request"
    )
    assert judge(answer(200, b"<html>"), accepted=accepted).outcome == "bad_request"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "1.5"}, 1.5),
        (
            {
                "retry_after": "Fri, 02 Jan 2026 00:00:30 GMT",
                "date": "Fri, 02 Jan 2026 00:00:00 GMT",
            },
            30.0,
        ),
        ({"x_ratelimit_reset": "12"}, 12.0),
        ({"x_ratelimit_reset": "1767312030", "date": "Fri, 02 Jan 2026 00:00:00 GMT"}, 30.0),
        ({"retry_after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    told = answer(429, b"", **headers)
    assert retry_after(told) == seconds
    assert judge(told).retry_after == seconds


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-02T00:00:00Z",
        "2026-01-02T01:00:00+01:00",
        "2026-01-02 00:00:00",
        "Fri, 02 Jan 2026 00:00:00 +0000",
        1767312000,
        1767312000000,
        "1767312000",
    ],
)
def test_dates_in_the_usual_forms(value: Any) -> None:
    assert moment(value) == datetime(2026, 1, 2, tzinfo=UTC)


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text())
def test_no_date_breaks_it(value: Any) -> None:
    assert moment(value) is None or moment(value) is not None


def test_small_things() -> None:
    assert having(from_="a", to=[], cc=None, n=0, b=False) == {"from": "a", "n": 0, "b": False}
    assert digits("+44 20-7946") == "44207946"
    assert digits("0044207946") == "44207946"
    assert e164("44207946") == "+44207946"
    assert address("x1.example") == "https://x1.example"
    assert address("http://x1.example/base/") == "http://x1.example/base"
    assert is_gsm("Hello €")
    assert not is_gsm("Привет")
