"""Preferences over HTTP, in the `svc` dialect."""

from typing import Any

import httpx
import pytest

from tests.seeds import add_workflow, layers
from tidings.domain.scope import Scope
from tidings.domain.slugs import slug
from tidings.storage.database import Database

PATH = "/v2/subscribers/u/preferences"
ALL_ON = dict.fromkeys(("email", "sms", "in_app", "chat", "push"), True)
OFFICE = {
    "isEnabled": True,
    "weeklySchedule": {
        "monday": {"isEnabled": True, "hours": [{"start": "09:00 AM", "end": "05:00 PM"}]},
        "sunday": {"isEnabled": False},
    },
}


@pytest.fixture(autouse=True)
async def subscriber(client: httpx.AsyncClient) -> None:
    await client.post("/v2/subscribers", json={"subscriberId": "u"})


async def choose(client: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json() == (await client.get(PATH)).json()
    found: dict[str, Any] = answer.json()
    return found


def source(workflow: dict[str, Any], channel: str) -> str:
    found: str = next(
        each["source"] for each in workflow["overrides"] if each["channel"] == channel
    )
    return found


async def test_without_any_choice(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    id = await add_workflow(database, scope, "welcome", layers({"sms": False}, {"push": False}))
    await add_workflow(database, scope, "sleeping", active=False)
    body = (await client.get(PATH)).json()
    assert body["global"] == {"enabled": True, "channels": ALL_ON}
    (welcome,) = body["workflows"]
    assert welcome["channels"] == {**ALL_ON, "push": False}
    assert welcome["enabled"] is True
    assert len(welcome["overrides"]) == 5
    assert source(welcome, "push") == "workflowOverride"
    assert welcome["workflow"]["identifier"] == "welcome"
    assert welcome["workflow"]["name"] == "Welcome"
    assert welcome["workflow"]["slug"] == slug("Welcome", "wf", id)


async def test_nothing_to_choose_about(client: httpx.AsyncClient) -> None:
    assert (await client.get(PATH)).json()["workflows"] == []


async def test_a_workflow_by_any_of_its_names(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    id = await add_workflow(database, scope, "welcome", layers({"email": True}))
    for value, name in enumerate((id, "welcome", slug("Welcome", "wf", id))):
        body = await choose(client, channels={"email": bool(value % 2)}, workflowId=name)
        assert body["workflows"][0]["channels"]["email"] is bool(value % 2)
        assert source(body["workflows"][0], "email") == "subscriber"
        assert source(body["workflows"][0], "sms") == "template"
        assert body["global"]["channels"] == ALL_ON


async def test_a_global_choice_holds_for_all_and_clears_the_single_ones(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_workflow(database, scope, "one")
    await add_workflow(database, scope, "two")
    await choose(client, channels={"email": True, "chat": False}, workflowId="one")
    body = await choose(client, channels={"email": False})
    assert [each["channels"]["email"] for each in body["workflows"]] == [False, False]
    assert body["workflows"][0]["channels"]["chat"] is False
    assert body["global"]["channels"] == {**ALL_ON, "email": False}
    body = await choose(client, channels={"email": True}, workflowId="two")
    assert [each["channels"]["email"] for each in body["workflows"]] == [False, True]


async def test_criticality(client: httpx.AsyncClient, database: Database, scope: Scope) -> None:
    await add_workflow(database, scope, "news")
    await add_workflow(database, scope, "alarm", layers(read_only=True))

    async def shown(**query: str) -> list[str]:
        body = (await client.get(PATH, params=query)).json()
        return [each["workflow"]["identifier"] for each in body["workflows"]]

    assert await shown() == ["news"]
    assert await shown(criticality="nonCritical") == ["news"]
    assert await shown(criticality="critical") == ["alarm"]
    assert await shown(criticality="all") == ["news", "alarm"]
    assert (await client.get(PATH, params={"criticality": "some"})).status_code == 422
    await choose(client, channels={"email": False})
    body = (await client.get(PATH, params={"criticality": "critical"})).json()
    assert body["workflows"][0]["channels"] == ALL_ON


async def test_a_critical_workflow_cannot_be_chosen_about(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_workflow(database, scope, "alarm", layers(read_only=True))
    body = {"channels": {"email": False}, "workflowId": "alarm"}
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 422
    assert "critical" in answer.json()["errors"]["workflowId"]["messages"][0]


async def test_schedules(client: httpx.AsyncClient) -> None:
    body = await choose(client, channels={}, schedule=OFFICE)
    assert body["global"]["schedule"] == OFFICE
    body = await choose(client, channels={"sms": False})
    assert body["global"]["schedule"] == OFFICE
    night = {
        "isEnabled": True,
        "weeklySchedule": {
            "friday": {"isEnabled": True, "hours": [{"start": "22:00", "end": "2:30 am"}]}
        },
    }
    body = await choose(client, schedule=night)
    hours = body["global"]["schedule"]["weeklySchedule"]["friday"]["hours"]
    assert hours == [{"start": "10:00 PM", "end": "02:30 AM"}]
    assert body["global"]["channels"]["sms"] is False
    assert "schedule" not in (await choose(client, schedule=None))["global"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "channels"),
        ({"workflowId": "news"}, "channels"),
        ({"channels": {"email": "no"}}, "channels.email"),
        ({"channels": {}, "workflowId": "news", "schedule": OFFICE}, "schedule"),
        ({"schedule": {"weeklySchedule": {}}}, "schedule.isEnabled"),
        (
            {
                "schedule": {
                    "isEnabled": True,
                    "weeklySchedule": {
                        "monday": {"isEnabled": True, "hours": [{"start": "9", "end": "10:00"}]}
                    },
                }
            },
            "schedule.weeklySchedule.monday.hours.0.start",
        ),
    ],
)
async def test_wrong_bodies_are_refused(
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    body: dict[str, Any],
    field: str,
) -> None:
    await add_workflow(database, scope, "news")
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_unknown_workflows(client: httpx.AsyncClient) -> None:
    for name in ("nope", "0" * 24, "welcome_wf_fkpziSfHWbOx6E8O"):
        answer = await client.patch(PATH, json={"channels": {}, "workflowId": name})
        assert answer.status_code == 404
        assert answer.json()["workflowId"] == name


async def test_many_workflows_at_once(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    one = await add_workflow(database, scope, "one")
    await add_workflow(database, scope, "two")
    answer = await client.patch(
        f"{PATH}/bulk",
        json={
            "preferences": [
                {"workflowId": "two", "channels": {"sms": False}},
                {"workflowId": one, "channels": {"email": False}},
                {"workflowId": "two", "channels": {"chat": False}},
            ]
        },
    )
    assert answer.status_code == 200
    two, first = answer.json()
    assert two["workflow"]["identifier"] == "two"
    assert two["channels"] == {**ALL_ON, "sms": False, "chat": False}
    assert (first["workflow"]["id"], first["level"]) == (one, "template")
    assert first["workflow"]["critical"] is False


async def test_many_at_once_are_all_or_none(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_workflow(database, scope, "one")
    good = {"workflowId": "one", "channels": {"sms": False}}
    bad = {"workflowId": "nope", "channels": {"sms": False}}
    assert (
        await client.patch(f"{PATH}/bulk", json={"preferences": [good, bad]})
    ).status_code == 404
    for wrong in ([], [good] * 101):
        answer = await client.patch(f"{PATH}/bulk", json={"preferences": wrong})
        assert answer.status_code == 422
    assert (await client.get(PATH)).json()["workflows"][0]["channels"] == ALL_ON
