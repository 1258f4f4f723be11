"""Integrations and environments through the Novu SDK."""

from typing import Any

import pytest
from novu_py import Novu, models

SMTP = {"host": "smtp.example.com", "port": "587", "from_": "news@example.com"}


def make(novu: Novu, **fields: Any) -> models.IntegrationResponseDto:
    request: Any = {
        "provider_id": "nodemailer",
        "channel": "email",
        "credentials": SMTP,
        "active": True,
        **fields,
    }
    return novu.integrations.create(create_integration_request_dto=request).result


def test_create_list_and_update(novu: Novu) -> None:
    made = make(novu, identifier="mail")
    assert made.primary is True
    assert made.channel == "email"
    listed = novu.integrations.list().result
    assert {one.provider_id for one in listed} == {"novu", "nodemailer"}
    changed = novu.integrations.update(
        integration_id=str(made.id), update_integration_request_dto={"active": False}
    ).result
    assert (changed.active, changed.primary) == (False, False)
    active = novu.integrations.list_active().result
    assert [one.provider_id for one in active] == ["novu"]


def test_set_primary(novu: Novu, foreign_novu: Novu) -> None:
    first, second = make(novu), make(novu)
    answer = novu.integrations.set_as_primary(integration_id=str(second.id)).result
    assert answer.primary is True
    listed = {one.id: one.primary for one in novu.integrations.list().result}
    assert listed[first.id] is False
    with pytest.raises(models.APIError) as caught:
        foreign_novu.integrations.set_as_primary(integration_id=str(first.id))
    assert caught.value.status_code == 404
    in_app = next(one for one in novu.integrations.list().result if one.channel == "in_app")
    with pytest.raises(models.ErrorDto) as refused:
        novu.integrations.set_as_primary(integration_id=str(in_app.id))
    assert refused.value.data.status_code == 400


def test_delete(novu: Novu, foreign_novu: Novu) -> None:
    made = make(novu)
    with pytest.raises(models.ErrorDto) as caught:
        foreign_novu.integrations.delete(integration_id=str(made.id))
    assert caught.value.data.status_code == 404
    left = novu.integrations.delete(integration_id=str(made.id)).result
    assert [one.provider_id for one in left] == ["novu"]


def test_bad_input(novu: Novu) -> None:
    with pytest.raises(models.ValidationErrorDto):
        make(novu, credentials={})
    make(novu, identifier="mail")
    with pytest.raises(models.ErrorDto) as caught:
        make(novu, identifier="mail")
    assert caught.value.data.status_code == 409


def test_environments(novu: Novu) -> None:
    made = novu.environments.create(
        create_environment_request_dto={"name": "Staging", "color": "#1a73e8"}
    ).result
    assert made.api_keys is not None
    assert made.api_keys[0].key
    changed = novu.environments.update(
        environment_id=made.id, update_environment_request_dto={"name": "QA"}
    ).result
    assert changed.name == "QA"
    names = [one.name for one in novu.environments.list().result]
    assert names == ["Development", "Production", "QA"]
    novu.environments.delete(environment_id=made.id)
    assert len(novu.environments.list().result) == 2
