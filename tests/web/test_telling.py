"""What pages say of runs, and what they do not say."""

from typing import Any, get_args

import pytest

from tests.conftest import make_world
from tidings.domain.activities import Activity
from tidings.domain.messages import Message
from tidings.domain.notifications import DetailStatus, Job, JobStatus, Notification
from tidings.domain.workflows import StepType
from tidings.web import telling

NOW = make_world().clock.now()


def job(type: str, status: JobStatus) -> Job:
    return Job(
        id="j", notification_id="n", position=0, step_id="s", type=type, status=status,
        updated_at=NOW,
    )  # fmt: skip


def activity(*jobs: tuple[str, JobStatus]) -> Activity:
    notification = Notification(
        id="n", event_id="e", transaction_id="t", workflow_id="w", workflow_version=1,
        subscriber_id="u", recipient={}, channels=(), tags=(), created_at=NOW,
    )  # fmt: skip
    return Activity(
        notification=notification,
        updated_at=NOW,
        digested_into=None,
        subscriber=None,
        workflow=None,
        payload=None,
        overrides=None,
        jobs=tuple(job(type, status) for type, status in jobs),
    )


def message(content: Any = "Hi", **address: Any) -> Message:
    return Message(
        id="m", notification_id="n", job_id="j", event_id="e", transaction_id="t", workflow_id="w",
        step_id="s", subscriber_id="u", channel="push", content=content, address=address,
        created_at=NOW,
    )  # fmt: skip


def test_every_state_has_a_word_a_tone_and_a_name() -> None:
    for type in get_args(StepType):
        assert telling.NAMES[type]
        for status in get_args(JobStatus):
            assert telling.word(job(type, status))
            assert status in telling.TONES
    assert set(get_args(DetailStatus)) == set(telling.LINE_TONES)


@pytest.mark.parametrize(
    ("jobs", "wanted"),
    [
        ([("email", "completed")], "Sent"),
        ([("email", "completed"), ("sms", "canceled")], "Partly sent"),
        ([("email", "completed"), ("sms", "failed")], "Failed"),
        ([("delay", "completed"), ("email", "canceled")], "Not sent"),
        ([("delay", "delayed"), ("email", "pending")], "Waiting"),
        ([("email", "running")], "Under way"),
        ([("digest", "merged"), ("email", "merged")], "Digested"),
        ([], "Not sent"),
    ],
)
def test_a_run_is_told_in_a_word(jobs: list[tuple[str, JobStatus]], wanted: str) -> None:
    assert telling.outcome(activity(*jobs))[0] == wanted


def test_only_failed_channels_can_be_tried_again() -> None:
    assert telling.can_replay(activity(("email", "failed")))
    assert not telling.can_replay(activity(("delay", "failed"), ("email", "canceled")))


def test_tokens_and_webhooks_are_veiled_wherever_they_stand() -> None:
    raw = {"target": {"deviceTokens": ["token-number-1234"]}, "outcome": "sent"}
    assert telling.veiled(raw) == {"target": {"deviceTokens": ["…1234"]}, "outcome": "sent"}
    assert "secret" not in telling.pretty([{"webhookUrl": "https://secret.example.com/abcd"}])
    assert telling.masked("short") == "…"


def test_an_address_is_shown_as_far_as_it_may_be() -> None:
    assert telling.address_of(message(email="ada@example.com")) == "ada@example.com"
    assert telling.address_of(message(phone="+331")) == "+331"
    assert telling.address_of(message(deviceTokens=["token-number-1234"])) == "…1234"
    assert telling.address_of(message(deviceTokens=[])) == ""


def test_the_text_of_a_message_is_found_and_kept_short() -> None:
    assert telling.text_of(message({"html": "<b>x</b>", "text": "x"})) == "x"
    assert len(telling.text_of(message("x" * 9000))) == telling.LONGEST
