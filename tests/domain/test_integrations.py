"""Which integration fits a message."""

from datetime import UTC, datetime
from typing import Any

from tidings.domain.conditions import FieldFilterPart, On, StepFilter
from tidings.domain.integrations import (
    CREDENTIAL_NAMES,
    OUR_CREDENTIALS,
    Integration,
    candidates,
    in_order,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PRO = StepFilter(
    is_negated=False,
    type="GROUP",
    value="AND",
    children=(FieldFilterPart(field="plan", value="pro", operator="EQUAL", on="subscriber"),),
)


def integration(id: str, **fields: Any) -> Integration:
    defaults: dict[str, Any] = {
        "organization_id": "o",
        "environment_id": "e",
        "name": id,
        "identifier": id,
        "provider_id": "nodemailer",
        "channel": "email",
        "active": True,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Integration(id=id, **{**defaults, **fields})


ALL = [
    integration("1"),
    integration("2", primary=True),
    integration("3", conditions=(PRO,)),
    integration("4", active=False),
    integration("5", channel="sms"),
    integration("6"),
]


def chosen(data: dict[On, dict[str, Any]], identifier: str | None = None) -> list[str]:
    return [one.integration.id for one in candidates(ALL, "email", data, identifier)]


def test_the_primary_goes_first_and_the_newest_next() -> None:
    assert chosen({}) == ["2", "6", "1"]


def test_an_integration_whose_conditions_hold_goes_before_the_primary() -> None:
    assert chosen({"subscriber": {"plan": "pro"}}) == ["3", "2", "6", "1"]


def test_asked_for_by_identifier_only_that_one_is_tried() -> None:
    assert chosen({}, "3") == ["3"]
    assert chosen({}, "4") == []
    assert chosen({}, "5") == []


def test_the_decision_tells_what_was_compared() -> None:
    [found, *_] = candidates(ALL, "email", {"subscriber": {"plan": "pro"}})
    assert found.decision.compared[0].actual == "pro"


def test_credentials_have_the_fields_of_the_interface() -> None:
    assert len(CREDENTIAL_NAMES - OUR_CREDENTIALS) == 45
    assert OUR_CREDENTIALS < CREDENTIAL_NAMES
    assert {"from", "AppIOBaseUrl", "apiKeyRequestHeader", "tlsOptions"} <= CREDENTIAL_NAMES


def test_the_order_is_that_in_which_they_are_tried_and_those_that_are_off_come_last() -> None:
    order = [one.id for one in in_order(ALL, "email")]
    assert order == [*chosen({"subscriber": {"plan": "pro"}}), "4"]
