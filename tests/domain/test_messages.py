"""What a vendor's report changes about a message."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from tidings.domain.deliveries import Event, Happened
from tidings.domain.messages import Message, apply, canonical, is_noted
from tidings.domain.notifications import Detail

NOW = datetime(2026, 5, 1, tzinfo=UTC)
THEN = datetime(2026, 4, 30, tzinfo=UTC)
MESSAGE = Message(
    id="m", notification_id="n", job_id="j", event_id="e", transaction_id="t", workflow_id="w",
    step_id="s", subscriber_id="u", channel="email", address={"email": "Ada@Example.com"},
    created_at=THEN,
)  # fmt: skip


def event(happened: Happened, **more: str) -> Event:
    return Event(message_id="v", happened=happened, at=THEN, **more)


@pytest.mark.parametrize(
    ("happened", "status"),
    [
        ("queued", "Queued"), ("sent", "Success"), ("deferred", "Pending"),
        ("delivered", "Success"), ("opened", "ReadConfirmation"), ("clicked", "Success"),
        ("read", "ReadConfirmation"), ("soft_bounced", "Warning"), ("bounced", "Failed"),
        ("rejected", "Failed"), ("dropped", "Failed"), ("failed", "Failed"),
        ("complained", "Failed"), ("unsubscribed", "Failed"),
    ],
)  # fmt: skip
def test_every_report_has_a_status(happened: Happened, status: str) -> None:
    assert apply(MESSAGE, event(happened), NOW).status == status


def test_none_is_forgotten() -> None:
    assert all(apply(MESSAGE, event(each), NOW).detail for each in get_args(Happened))


def test_delivered_and_opened_have_their_times() -> None:
    assert apply(MESSAGE, event("delivered"), NOW).delivered_at == THEN
    assert apply(MESSAGE, event("opened"), NOW).read_at == THEN
    untimed = Event(message_id="v", happened="delivered")
    assert apply(MESSAGE, untimed, NOW).delivered_at == NOW


def test_a_bounce_is_an_error_and_ends_the_use_of_the_address() -> None:
    change = apply(MESSAGE, event("bounced", reason="No such user"), NOW)
    assert (change.error, change.suppressed) == ("No such user", "ada@example.com")
    assert apply(MESSAGE, event("soft_bounced"), NOW).suppressed is None
    complained = apply(MESSAGE, event("complained"), NOW)
    assert (complained.error, complained.suppressed) == (None, "ada@example.com")


def test_a_report_about_somebody_in_copy_leaves_the_message_alone() -> None:
    change = apply(MESSAGE, event("bounced", target="boss@example.com"), NOW)
    assert (change.error, change.suppressed) == (None, "boss@example.com")
    assert apply(MESSAGE, event("delivered", target="boss@example.com"), NOW).delivered_at is None
    assert apply(MESSAGE, event("delivered", target="ADA@example.com"), NOW).delivered_at == THEN


def test_a_repetition_is_noticed() -> None:
    change = apply(MESSAGE, event("opened", id="1"), NOW)
    line = Detail(id="d", at=NOW, status="Success", detail="", source="Webhook", raw=change.raw)
    assert is_noted((line,), change)
    assert not is_noted((line,), apply(MESSAGE, event("opened", id="2"), NOW))


def test_addresses_are_compared_without_case() -> None:
    assert canonical(" ADA@Example.com ") == "ada@example.com"
