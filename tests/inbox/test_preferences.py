from typing import Any

import httpx
import pytest

from tests import seeds
from tests.inbox.conftest import Visit
from tidings.domain.scope import Scope
from tidings.storage.database import Database

PREFERENCES = "/v1/inbox/preferences"
STEPS = [
    {"name": "Inbox", "type": "in_app", "controlValues": {"body": "Hello"}},
    {"name": "Mail", "type": "email", "controlValues": {"subject": "Hello", "body": "<p>x</p>"}},
    {"name": "Wait", "type": "delay", "controlValues": {"amount": 1, "unit": "hours"}},
]


@pytest.fixture
async def ada(visit: Visit) -> httpx.AsyncClient:
    return await visit("ada")


@pytest.fixture
async def workflow(client: httpx.AsyncClient) -> str:
    body = {"name": "Orders", "workflowId": "orders", "active": True, "tags": ["shop"]}
    answer = await client.post("/v2/workflows", json={**body, "steps": STEPS})
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["_id"]
    return id


async def test_only_channels_with_steps_are_shown(ada: httpx.AsyncClient, workflow: str) -> None:
    everywhere, orders = (await ada.get(PREFERENCES)).json()["data"]
    assert everywhere == {
        "level": "global",
        "enabled": True,
        "channels": {"in_app": True, "email": True},
        "overrides": [],
    }
    assert orders == {
        "level": "template",
        "enabled": True,
        "channels": {"in_app": True, "email": True},
        "overrides": [
            {"channel": "in_app", "source": "template"},
            {"channel": "email", "source": "template"},
        ],
        "workflow": {
            "id": workflow,
            "identifier": "orders",
            "name": "Orders",
            "critical": False,
            "tags": ["shop"],
            "severity": "none",
        },
    }


async def test_without_workflows_there_is_the_one_for_everything(ada: httpx.AsyncClient) -> None:
    (everywhere,) = (await ada.get(PREFERENCES)).json()["data"]
    assert everywhere["channels"] == {}


async def test_a_choice_for_one_workflow(ada: httpx.AsyncClient, workflow: str) -> None:
    answer = await ada.patch(f"{PREFERENCES}/{workflow}", json={"email": False})
    assert answer.status_code == 200
    shown = answer.json()["data"]
    assert shown["channels"] == {"in_app": True, "email": False}
    assert {"channel": "email", "source": "subscriber"} in shown["overrides"]
    again = await ada.patch(PREFERENCES, json={"email": True})
    assert again.json()["data"]["channels"] == {"in_app": True, "email": True}
    _, orders = (await ada.get(PREFERENCES)).json()["data"]
    assert orders["channels"]["email"]


async def test_a_schedule_is_chosen_and_removed(ada: httpx.AsyncClient) -> None:
    hours = [{"start": "09:00 AM", "end": "05:00 PM"}]
    schedule = {
        "isEnabled": True,
        "weeklySchedule": {"monday": {"isEnabled": True, "hours": hours}},
    }
    answer = await ada.patch(PREFERENCES, json={"schedule": schedule})
    assert answer.json()["data"]["schedule"] == schedule
    assert (await ada.get(f"{PREFERENCES}/global")).json()["data"]["schedule"] == schedule
    await ada.patch(PREFERENCES, json={"schedule": None})
    assert "schedule" not in (await ada.get(f"{PREFERENCES}/global")).json()["data"]


async def test_the_first_session_may_bring_a_schedule(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient, application: str
) -> None:
    async def schedule(enabled: bool) -> Any:
        body = {
            "applicationIdentifier": application,
            "subscriber": {"subscriberId": "cyd"},
            "defaultSchedule": {"isEnabled": enabled},
        }
        assert (await anyone.post("/v1/inbox/session", json=body)).status_code == 201
        found = (await client.get("/v2/subscribers/cyd/preferences")).json()
        return found["global"]["schedule"]

    assert await schedule(True) == {"isEnabled": True}
    assert await schedule(False) == {"isEnabled": True}


async def test_many_at_once(ada: httpx.AsyncClient, workflow: str) -> None:
    bulk = f"{PREFERENCES}/bulk"
    body = {"preferences": [{"workflowId": "orders", "in_app": False}]}
    answer = await ada.patch(bulk, json=body)
    assert [each["channels"] for each in answer.json()["data"]] == [
        {"in_app": False, "email": True}
    ]
    assert (await ada.patch(bulk, json={"preferences": []})).status_code == 400
    unknown = {"preferences": [{"workflowId": "nobody", "email": True}]}
    assert (await ada.patch(bulk, json=unknown)).status_code == 404
    many = {"preferences": [{"workflowId": "orders", "email": True}] * 101}
    assert (await ada.patch(bulk, json=many)).status_code == 422


async def test_filters(
    ada: httpx.AsyncClient, workflow: str, database: Database, scope: Scope
) -> None:
    await seeds.add_workflow(database, scope, "alarm", seeds.layers(read_only=True))

    async def names(**query: Any) -> list[str]:
        found = (await ada.get(PREFERENCES, params=query)).json()["data"]
        return [each["workflow"]["identifier"] for each in found[1:]]

    assert await names() == ["orders"]
    assert await names(criticality="all") == ["orders", "alarm"]
    assert await names(criticality="critical") == ["alarm"]
    assert await names(**{"tags[]": "shop"}) == ["orders"]
    assert await names(tags="other") == []
    assert await names(severity="high") == []


async def test_a_critical_workflow_is_not_for_subscribers_to_change(
    ada: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    id = await seeds.add_workflow(database, scope, "alarm", seeds.layers(read_only=True))
    answer = await ada.patch(f"{PREFERENCES}/{id}", json={"email": False})
    assert answer.status_code == 422
    assert "critical" in answer.text


async def test_a_change_of_nothing_is_refused(ada: httpx.AsyncClient) -> None:
    assert (await ada.patch(PREFERENCES, json={})).status_code == 422
