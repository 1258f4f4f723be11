import io
import json
import logging

import pytest

from tidings import log

CANARY = "canary-5ecret-value"


@pytest.fixture
def lines() -> io.StringIO:
    stream = io.StringIO()
    log.configure("json", "debug", stream)
    return stream


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("authorization", f"ApiKey {CANARY}"),
        ("headers", {"Authorization": f"ApiKey {CANARY}", "accept": "*/*"}),
        ("credentials", {"apiKey": CANARY}),
        ("settings", [{"nested": {"password": CANARY}}]),
        ("database_url", f"postgresql://u:{CANARY}@h/d"),
        ("reason", f"could not connect to postgresql://u:{CANARY}@host/d"),
        ("text", f"curl -H 'Authorization: ApiKey {CANARY}'"),
        ("text", f"Bearer {CANARY}"),
        ("key", "tdg_" + "a1B2" * 11),
        ("url", f"/socket.io/?EIO=4&token={CANARY}&transport=websocket"),
        ("jwt", "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl"),
        ("error", ValueError(f"bad ApiKey {CANARY}")),
    ],
)
def test_no_secret_gets_into_a_line(lines: io.StringIO, name: str, value: object) -> None:
    log.get("test").info("event", **{name: value})
    logging.getLogger("library").warning("%s", f"seen ApiKey {CANARY}")
    said = lines.getvalue()
    assert "event" in said
    for secret in (CANARY, "a1B2a1B2", "eyJzdWIi"):
        assert secret not in said
    assert log.HIDDEN in said


def test_a_secret_in_a_traceback_is_hidden(lines: io.StringIO) -> None:
    try:
        raise ValueError(f"Authorization: ApiKey {CANARY}")
    except ValueError as error:
        log.get("test").error("fault", exc_info=error)
    assert "Traceback" in lines.getvalue()
    assert CANARY not in lines.getvalue()


def test_a_known_secret_is_hidden_wherever_it_stands(lines: io.StringIO) -> None:
    log.never_show(["some-odd-shape-of-secret", None, "short"])
    log.get("test").info("event", text="this is some-odd-shape-of-secret, short")
    assert "some-odd" not in lines.getvalue()
    assert "short" in lines.getvalue()


def test_lines_are_json_with_a_time_and_keep_plain_values(lines: io.StringIO) -> None:
    log.get("test").warning("event", count=3, ok=True, nothing=None, name="Ada")
    line = json.loads(lines.getvalue())
    assert line["event"] == "event"
    assert line["level"] == "warning"
    assert line["timestamp"].endswith("Z")
    assert (line["count"], line["ok"], line["nothing"], line["name"]) == (3, True, None, "Ada")


def test_pretty_lines_are_for_people() -> None:
    stream = io.StringIO()
    log.configure("pretty", "info", stream)
    log.get("test").info("hello", name="Ada")
    assert "hello" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_the_level_is_obeyed() -> None:
    stream = io.StringIO()
    log.configure("json", "error", stream)
    log.get("test").warning("quiet")
    assert stream.getvalue() == ""
