"""What a form shows of an integration, and what it means when it is sent."""

from typing import Any

import pytest

from tidings.domain.conditions import FieldFilterPart, StepFilter
from tidings.domain.errors import InvalidError
from tidings.domain.integrations import Configurations
from tidings.providers import registry
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import MASK, Field, mask
from tidings.web.form import Form
from tidings.web.integration_form import (
    OPERATORS,
    conditions_of,
    configurations_of,
    credentials_of,
    groups,
    inputs,
)

PROVIDERS = list(registry.every().values())


def stored_value(field: Field) -> Any:
    match field.kind:
        case "boolean":
            return True
        case "object":
            return {"servername": "example.com"}
        case _:
            return f"the value of {field.name}, as it was given"


def sent(provider: AnyProvider, stored: dict[str, Any]) -> Form:
    """The form as a browser sends it when nothing is changed."""
    return Form(
        [
            (each.name, "true" if each.control == "tick" else each.value)
            for each in inputs(provider, stored)
            if each.control != "tick" or each.ticked
        ]
    )


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)
def test_an_unchanged_form_means_what_is_stored(provider: AnyProvider) -> None:
    stored = {field.name: stored_value(field) for field in provider.credentials}
    hidden = {field.name for field in provider.credentials if field.secret}
    shown = "".join(each.value for each in inputs(provider, stored))
    assert not any(stored[name] in shown for name in hidden)
    meant = credentials_of(sent(provider, stored), provider, stored)
    assert meant == {
        name: mask(value) if name in hidden else value for name, value in stored.items()
    }


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)
def test_an_empty_form_means_nothing(provider: AnyProvider) -> None:
    assert credentials_of(sent(provider, {}), provider, {}) == {}


def smtp() -> AnyProvider:
    provider = registry.find("nodemailer")
    assert provider is not None
    return provider


def test_a_secret_is_replaced_or_removed_when_asked() -> None:
    stored = {"password": "a secret of some length"}
    new = Form([("credentials.password", "another")])
    assert credentials_of(new, smtp(), stored) == {"password": "another"}
    gone = Form([("credentials.password", ""), ("credentials.password.remove", "true")])
    assert credentials_of(gone, smtp(), stored) == {}


def test_a_box_that_was_ticked_can_be_emptied() -> None:
    assert credentials_of(Form(), smtp(), {"secure": True}) == {"secure": False}


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "1"])
def test_options_must_be_an_object(text: str) -> None:
    with pytest.raises(InvalidError) as refused:
        credentials_of(Form([("credentials.tlsOptions", text)]), smtp(), {})
    assert "TLS options" in refused.value.problems["credentials.tlsOptions"].messages[0]


def test_headers_must_be_texts() -> None:
    provider = registry.find("generic-sms")
    form = Form([("credentials.requestHeaders", '{"X-Retries": 3}')])
    with pytest.raises(InvalidError):
        credentials_of(form, provider, {})


def test_the_signing_key_is_kept() -> None:
    before = Configurations(inbound_webhook_signing_key="a key of some length")
    form = Form([("configurations.inboundWebhookEnabled", "true")])
    kept = configurations_of(form, before)
    assert kept.inbound_webhook_enabled is True
    assert str(kept.inbound_webhook_signing_key).startswith(MASK)


def line(**values: Any) -> FieldFilterPart:
    return FieldFilterPart(
        **{"on": "payload", "field": "total", "operator": "LARGER", "value": "1", **values}
    )


def test_conditions_come_back_as_they_were() -> None:
    before = (
        StepFilter(is_negated=True, type="TEXT", value="OR", children=(line(), line(value=""))),
        StepFilter(
            is_negated=False,
            type="GROUP",
            value="AND",
            children=tuple(line(operator=each) for each in OPERATORS),
        ),
    )
    pairs = []
    for number, group in enumerate(groups(before)):
        at = f"conditions.{number}"
        pairs += [(f"{at}.join", group.join), (f"{at}.type", group.type)]
        pairs += [(f"{at}.negated", "true")] if group.negated else []
        for position, each in enumerate(group.lines):
            pairs += [
                (f"{at}.{position}.{name}", getattr(each, name)) for name in each.__struct_fields__
            ]
    assert conditions_of(Form(pairs)) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("operator", "LOUDER"), ("on", "nobody"), ("join", "XOR"), ("type", "ODD")],
)
def test_conditions_that_no_form_offers_are_refused(name: str, value: str) -> None:
    pairs = {
        "conditions.0.join": "AND",
        "conditions.0.0.field": "plan",
        "conditions.0.0.operator": "EQUAL",
        "conditions.0.0.on": "payload",
    }
    where = f"conditions.0.{name}" if name in ("join", "type") else f"conditions.0.0.{name}"
    with pytest.raises(InvalidError):
        conditions_of(Form(list({**pairs, where: value}.items())))
