from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.limits import Limits
from tidings.domain.workflows import StepType
from tidings.steps import registry
from tidings.steps.outcomes import Collect, Continue, Fail, Limit, Moment, Send, Wait

REACHED = datetime(2026, 3, 28, 9, 0, tzinfo=UTC)  # 10:00 in Berlin, a day before summer time
PAYLOAD: dict[str, Any] = {
    "orderId": 7,
    "post": {"id": "p1", "tags": {"b": 1, "a": 2}},
    "at": "2026-03-29T10:00:00",
    "past": "2026-03-01T10:00:00Z",
    "justPast": "2026-03-28T08:59:30Z",
    "wait": {"amount": 1, "unit": "days"},
    "number": 5,
    "nothing": None,
}
MOMENT = Moment(
    now=REACHED + timedelta(minutes=3),
    reached_at=REACHED,
    timezone="Europe/Berlin",
    variables={"payload": PAYLOAD, "subscriber": {"data": {"team": "blue"}}},
)


def moment(**changes: Any) -> Moment:
    return msgspec.structs.replace(MOMENT, **changes)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("channel", ["in_app", "email", "sms", "push", "chat"])
def test_a_channel_sends(channel: StepType) -> None:
    assert registry.plan(channel, {"body": "Hello"}, MOMENT) == Send()


@pytest.mark.parametrize(
    ("controls", "output"),
    [({"custom": {"a": 1}}, {"a": 1}), ({}, {}), ({"custom": "text"}, {})],
)
def test_a_custom_step_goes_on_with_its_values(
    controls: dict[str, Any], output: dict[str, Any]
) -> None:
    assert registry.plan("custom", controls, MOMENT) == Continue(output)


@pytest.mark.parametrize(
    ("controls", "until"),
    [
        ({"type": "regular", "amount": 30, "unit": "minutes"}, "2026-03-28T09:30"),
        ({"amount": "30", "unit": "minutes"}, "2026-03-28T09:30"),
        ({"amount": 1, "unit": "days"}, "2026-03-29T08:00"),
        ({"amount": 24, "unit": "hours"}, "2026-03-29T09:00"),
        ({"type": "timed", "cron": "0 9 * * *"}, "2026-03-29T07:00"),
        ({"type": "timed", "cron": "30 2 * * *"}, "2026-03-29T01:00"),
        ({"type": "dynamic", "dynamicKey": "payload.at"}, "2026-03-29T08:00"),
        ({"type": "dynamic", "dynamicKey": "at"}, "2026-03-29T08:00"),
        ({"type": "dynamic", "dynamicKey": "wait"}, "2026-03-29T08:00"),
        ({"type": "dynamic", "dynamicKey": "2026-03-28T12:00:00Z"}, "2026-03-28T12:00"),
    ],
)
def test_a_delay_waits_until_its_end(controls: dict[str, Any], until: str) -> None:
    end = utc(until)
    duration = int((end - REACHED).total_seconds() * 1000)
    assert registry.plan("delay", controls, MOMENT) == Wait(end, {"duration": duration})


@pytest.mark.parametrize(
    "controls",
    [
        {},
        {"amount": 0, "unit": "hours"},
        {"amount": "0", "unit": "hours"},
        {"amount": "", "unit": "hours"},
        {"type": "dynamic", "dynamicKey": "justPast"},
    ],
)
def test_a_delay_without_length_goes_on(controls: dict[str, Any]) -> None:
    assert registry.plan("delay", controls, MOMENT) == Continue({"duration": 0})


@pytest.mark.parametrize(
    ("override", "minutes"),
    [
        ({"amount": 5, "unit": "minutes"}, 5),
        ({"amount": 2, "unit": "hours"}, 120),
        ({"amount": "5", "unit": "minutes"}, 30),
        ({"amount": 5, "unit": "blinks"}, 30),
        ({"amount": 5, "unit": ["minutes"]}, 30),
        ({"amount": True, "unit": "minutes"}, 30),
        ("soon", 30),
        (None, 30),
    ],
)
def test_the_trigger_may_replace_a_regular_wait(override: Any, minutes: int) -> None:
    asked = moment(overrides={"delay": override})
    controls = {"type": "regular", "amount": 30, "unit": "minutes"}
    until = REACHED + timedelta(minutes=minutes)
    delay = registry.plan("delay", controls, asked)
    digest = registry.plan("digest", controls, asked)
    assert isinstance(delay, Wait)
    assert isinstance(digest, Collect)
    assert (delay.until, digest.until) == (until, until)


def test_the_trigger_does_not_replace_a_timed_or_dynamic_delay() -> None:
    asked = moment(overrides={"delay": {"amount": 5, "unit": "minutes"}})
    for controls in (
        {"type": "timed", "cron": "0 9 * * *"},
        {"type": "dynamic", "dynamicKey": "at"},
    ):
        assert registry.plan("delay", controls, asked) == registry.plan("delay", controls, MOMENT)


@pytest.mark.parametrize(
    ("controls", "sentence"),
    [
        ({"amount": "soon", "unit": "hours"}, 'The amount must be a number, not "soon".'),
        ({"amount": -1, "unit": "hours"}, "The amount must not be negative"),
        ({"amount": 1}, "The unit must be one of"),
        ({"amount": 10**9, "unit": "months"}, "is too long"),
        ({"type": "weekly"}, "Type must be one of regular, timed, dynamic."),
        ({"type": "timed"}, "Cron is required."),
        ({"type": "timed", "cron": "every day"}, "Cron must be a cron expression of five fields"),
        ({"type": "timed", "cron": "* * * * * *"}, "once a minute is the most"),
        ({"type": "dynamic"}, "Dynamic key is required."),
        (
            {"type": "dynamic", "dynamicKey": "deliverAt"},
            "There is no value at deliverAt; send one",
        ),
        ({"type": "dynamic", "dynamicKey": "past"}, "was already past when the step was reached"),
        ({"type": "dynamic", "dynamicKey": "number"}, "5 is a number; give an instant"),
        ({"type": "dynamic", "dynamicKey": "nothing"}, "The value is empty; give"),
    ],
)
def test_a_delay_that_cannot_be_reckoned_says_why(controls: dict[str, Any], sentence: str) -> None:
    outcome = registry.plan("delay", controls, MOMENT)
    assert isinstance(outcome, Fail)
    assert sentence in outcome.detail


@pytest.mark.parametrize(
    ("controls", "expected"),
    [
        (
            {"amount": 10, "unit": "minutes"},
            Collect("", utc("2026-03-28T09:10"), None,
                    {"type": "regular", "amount": 10, "unit": "minutes"}),
        ),
        (
            {"amount": 1, "unit": "days", "digestKey": "payload.post.id"},
            Collect("p1", utc("2026-03-29T08:00"), None,
                    {"type": "regular", "amount": 1, "unit": "days",
                     "digestKey": "payload.post.id"}),
        ),
        (
            {"amount": 1, "unit": "hours", "lookBackWindow": {"amount": 30, "unit": "minutes"}},
            Collect("", utc("2026-03-28T10:00"), utc("2026-03-28T08:30"),
                    {"type": "backoff", "amount": 1, "unit": "hours", "backoff": True,
                     "backoffAmount": 30, "backoffUnit": "minutes"}),
        ),
        (
            {"type": "timed", "cron": "0 9 * * 1"},
            Collect("", utc("2026-03-30T07:00"), None,
                    {"type": "timed", "timed": {"cronExpression": "0 9 * * 1"}}),
        ),
        (
            {"type": "timed", "amount": 1, "unit": "weeks",
             "timed": {"atTime": "09:00", "weekDays": ["monday"]}},
            Collect("", utc("2026-03-30T07:00"), None,
                    {"type": "timed", "amount": 1, "unit": "weeks",
                     "timed": {"atTime": "09:00", "weekDays": ("monday",)}}),
        ),
        (
            {"type": "timed", "timed": {"atTime": "09:00", "monthDays": ["31"]}},
            Collect("", utc("2026-03-31T07:00"), None,
                    {"type": "timed", "timed": {"atTime": "09:00", "monthDays": (31,)}}),
        ),
    ],
)  # fmt: skip
def test_a_digest_collects(controls: dict[str, Any], expected: Collect) -> None:
    assert registry.plan("digest", controls, MOMENT) == expected


@pytest.mark.parametrize(
    ("controls", "sentence"),
    [
        ({}, "The digest needs an amount of at least 1"),
        ({"amount": 0, "unit": "hours"}, "The digest needs an amount of at least 1"),
        ({"amount": 1e-9, "unit": "seconds"}, "The digest needs an amount of at least 1"),
        ({"amount": -1, "unit": "hours"}, "The amount must not be negative"),
        ({"amount": "some", "unit": "hours"}, "The amount must be a number"),
        ({"amount": 1, "unit": "hours", "lookBackWindow": {"unit": "hours"}},
         "The look-back window needs an amount of at least 1"),
        ({"amount": 1, "unit": "hours", "lookBackWindow": 5}, "The look-back window must have"),
        ({"type": "timed"}, "Cron is required."),
        ({"type": "timed", "timed": {"atTime": "late"}}, "The time must be one such as 09:00"),
        ({"type": "hourly"}, "Type must be one of regular, timed."),
    ],
)  # fmt: skip
def test_a_digest_that_cannot_be_reckoned_says_why(controls: dict[str, Any], sentence: str) -> None:
    outcome = registry.plan("digest", controls, MOMENT)
    assert isinstance(outcome, Fail)
    assert sentence in outcome.detail


@pytest.mark.parametrize(
    ("key", "rendered", "value"),
    [
        ("payload.post.id", False, "p1"),
        ("post.id", False, "p1"),
        ("subscriber.data.team", False, "blue"),
        ("orderId", False, "7"),
        ("post.tags", False, '{"a":2,"b":1}'),
        ("nothing", False, ""),
        ("unknown", False, "unknown"),
        ("", False, ""),
        # A template that gave a word which happens to be the name of a variable.
        ("orderId", True, "orderId"),
        ("42", True, "42"),
        (None, False, ""),
    ],
)
def test_a_key_leads_to_the_value_that_groups(key: Any, rendered: bool, value: str) -> None:
    for kind, name in (("digest", "digestKey"), ("throttle", "throttleKey")):
        asked = moment(rendered=frozenset({name} if rendered else ()))
        controls = {"amount": 1, "unit": "hours", name: key}
        outcome = registry.plan(kind, controls, asked)  # type: ignore[arg-type]
        assert isinstance(outcome, Collect | Limit)
        assert outcome.value == value


@pytest.mark.parametrize(
    ("controls", "expected"),
    [
        ({"amount": 5, "unit": "minutes"}, Limit("", 1, utc("2026-03-28T09:05"))),
        (
            {"type": "fixed", "amount": 1, "unit": "days", "threshold": 3},
            Limit("", 3, utc("2026-03-29T08:00")),
        ),
        ({"amount": "2", "unit": "hours", "threshold": "4"}, Limit("", 4, utc("2026-03-28T11:00"))),
        ({"type": "dynamic", "dynamicKey": "wait"}, Limit("", 1, utc("2026-03-29T08:00"))),
        ({"type": "dynamic", "dynamicKey": "payload.at"}, Limit("", 1, utc("2026-03-29T08:00"))),
        (
            {"amount": 1, "unit": "hours", "threshold": 10**30},
            Limit("", 2**31 - 1, utc("2026-03-28T10:00")),
        ),
    ],
)
def test_a_throttle_limits(controls: dict[str, Any], expected: Limit) -> None:
    assert registry.plan("throttle", controls, MOMENT) == expected


@pytest.mark.parametrize(
    ("controls", "sentence"),
    [
        ({}, "The throttle needs an amount and a unit"),
        ({"amount": 5}, "must be one of minutes, hours, days."),
        ({"amount": 5, "unit": "seconds"}, "must be one of minutes, hours, days."),
        ({"amount": 0.5, "unit": "minutes"}, "must be at least 1."),
        ({"amount": 0, "unit": "minutes"}, "must be at least 1."),
        ({"amount": "x", "unit": "minutes"}, "The amount must be a number"),
        ({"amount": 1, "unit": "hours", "threshold": 0}, "The threshold of the throttle must be"),
        ({"amount": 1, "unit": "hours", "threshold": "many"}, "The threshold of the throttle must"),
        ({"type": "sliding"}, "Type must be one of fixed, dynamic."),
        ({"type": "dynamic"}, "Dynamic key is required."),
        ({"type": "dynamic", "dynamicKey": "past"}, "was already past"),
    ],
)
def test_a_throttle_that_is_not_set_up_fails(controls: dict[str, Any], sentence: str) -> None:
    outcome = registry.plan("throttle", controls, MOMENT)
    assert isinstance(outcome, Fail)
    assert sentence in outcome.detail


@pytest.mark.parametrize(
    ("kind", "controls", "sentence"),
    [
        ("delay", {"amount": 2, "unit": "days"}, "The delay may take at most 1 day here."),
        ("delay", {"type": "timed", "cron": "0 9 1 1 *"}, "The delay may take at most 1 day"),
        ("digest", {"amount": 2, "unit": "days"}, "The digest may take at most 1 day here."),
        ("throttle", {"amount": 2, "unit": "hours"}, "The throttle window may take at most 1 hour"),
    ],
)
def test_the_limits_of_the_operator_hold(
    kind: StepType, controls: dict[str, Any], sentence: str
) -> None:
    limits = Limits(longest_wait=timedelta(days=1), longest_throttle=timedelta(hours=1))
    outcome = registry.plan(kind, controls, moment(limits=limits))
    assert isinstance(outcome, Fail)
    assert sentence in outcome.detail


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["days", "minutes", "payload.at", "wait", "0 9 * * *", "09:00"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["amount", "unit", "atTime", "delay"]), inner)
    ),
    max_leaves=6,
)
NAMES = ["type", "amount", "unit", "cron", "dynamicKey", "digestKey", "throttleKey", "threshold",
         "lookBackWindow", "timed", "custom"]  # fmt: skip
CONTROLS = st.dictionaries(st.sampled_from(NAMES), JSON).flatmap(
    lambda values: st.sampled_from(["regular", "timed", "dynamic", "fixed", None]).map(
        lambda kind: {**values, "type": kind}
    )
)


@given(
    st.sampled_from(sorted(registry.kinds())),
    CONTROLS,
    st.dictionaries(st.just("delay"), JSON),
    st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "Nowhere", None]),
    st.datetimes(
        datetime.fromisoformat("2000-01-01"),
        datetime.fromisoformat("2100-01-01"),
        timezones=st.just(UTC),
    ),
)
def test_a_plan_answers_anything_and_the_same_when_asked_later(
    kind: StepType,
    controls: dict[str, Any],
    overrides: dict[str, Any],
    timezone: str | None,
    reached_at: datetime,
) -> None:
    asked = moment(reached_at=reached_at, overrides=overrides, timezone=timezone)
    outcome = registry.plan(kind, controls, asked)
    later = msgspec.structs.replace(asked, now=reached_at + timedelta(days=400))
    assert registry.plan(kind, controls, later) == outcome
    match outcome:
        case Wait() | Collect():
            assert outcome.until > reached_at
        case Limit():
            assert outcome.ends_at >= reached_at
            assert outcome.threshold >= 1
        case Fail():
            assert outcome.detail.endswith(".")
