"""Operation 11 and previews."""

from typing import Any

import httpx
import pytest

from tests.api.workflow_examples import create, of_step


async def preview(client: httpx.AsyncClient, step: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(f"/v2/workflows/welcome/step/{step}/preview", json=body)
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_a_step_is_the_one_in_its_workflow(client: httpx.AsyncClient) -> None:
    made = await create(client)
    for step in made["steps"]:
        for reference in (step["stepId"], step["_id"], step["slug"]):
            answer = await client.get(f"/v2/workflows/welcome/steps/{reference}")
            assert answer.status_code == 200
            assert answer.json() == step


async def test_unknown_step(client: httpx.AsyncClient) -> None:
    await create(client)
    answer = await client.get("/v2/workflows/welcome/steps/nothing")
    assert answer.status_code == 404
    assert answer.json()["ctx"] == {"stepId": "nothing", "workflowId": "welcome"}
    assert "'gather'" in answer.json()["message"]


async def test_email_values_always_have_a_subject(client: httpx.AsyncClient) -> None:
    step = await of_step(client, "email", None)
    assert step["controlValues"] == {"subject": ""}


@pytest.mark.parametrize(
    ("type", "group", "components"),
    [
        ("in_app", "IN_APP", {"IN_APP_BODY", "IN_APP_AVATAR", "URL_TEXT_BOX", "DATA"}),
        ("email", "EMAIL", {"EMAIL_BODY", "LAYOUT_SELECT", "EMAIL_EDITOR_SELECT"}),
        ("sms", "SMS", {"SMS_BODY"}),
        ("push", "PUSH", {"PUSH_SUBJECT", "PUSH_BODY"}),
        ("chat", "CHAT", {"CHAT_BODY"}),
        ("delay", "DELAY", {"DELAY_AMOUNT", "DELAY_UNIT", "DELAY_CRON", "DELAY_DYNAMIC_KEY"}),
        ("digest", "DIGEST", {"DIGEST_AMOUNT", "DIGEST_KEY", "DIGEST_CRON", "DIGEST_TYPE"}),
        ("throttle", "THROTTLE", {"THROTTLE_WINDOW", "THROTTLE_THRESHOLD", "THROTTLE_KEY"}),
        ("custom", "SKIP", {"QUERY_EDITOR"}),
    ],
)
async def test_the_form_of_each_type(
    client: httpx.AsyncClient, type: str, group: str, components: set[str]
) -> None:
    form = (await of_step(client, type, None))["controls"]["uiSchema"]
    assert form["group"] == group
    found = {each["component"] for each in form["properties"].values()}
    assert found >= {*components, "QUERY_EDITOR"}


async def test_preview_renders_with_sample_data(client: httpx.AsyncClient) -> None:
    await create(client)
    shown = await preview(client, "welcome-mail")
    assert shown["result"]["type"] == "email"
    assert shown["result"]["preview"]["subject"] == "1 things, name"
    assert "<p>name</p>" in shown["result"]["preview"]["body"]
    assert shown["issues"] == {}
    assert "error" not in shown["result"]


async def test_preview_takes_given_data_and_controls(client: httpx.AsyncClient) -> None:
    await create(client)
    shown = await preview(
        client,
        "inbox",
        controlValues={"body": "{{subscriber.firstName}} {{subscriber.email}} {{payload.x}}"},
        previewPayload={"subscriber": {"firstName": "Grace"}, "payload": {"x": 1}},
    )
    assert shown["result"]["preview"]["body"] == "Grace ada@example.com 1"
    assert (await client.get("/v2/workflows/welcome")).json()["version"] == 1


async def test_preview_tells_all_problems(client: httpx.AsyncClient) -> None:
    await create(client)
    shown = await preview(
        client,
        "inbox",
        controlValues={"subject": "{{ broken", "body": "{{ x | nope }}", "avatar": "ftp://x"},
    )
    assert set(shown["issues"]) == {"subject", "body", "avatar"}
    assert shown["result"]["error"]["message"]


async def test_preview_of_every_other_type(client: httpx.AsyncClient) -> None:
    steps = [
        {"name": "sms", "type": "sms", "controlValues": {"body": "Hi {{subscriber.firstName}}"}},
        {"name": "push", "type": "push", "controlValues": {"subject": "S", "body": "B"}},
        {"name": "chat", "type": "chat", "controlValues": {"body": "C"}},
        {"name": "delay", "type": "delay", "controlValues": {"amount": 1, "unit": "days"}},
        {"name": "digest", "type": "digest", "controlValues": {"amount": 2, "unit": "hours"}},
        {"name": "calm", "type": "throttle", "controlValues": {"amount": 3, "unit": "hours"}},
        {"name": "own", "type": "custom", "controlValues": {"custom": {"a": "{{payload.a}}"}}},
    ]
    await create(client, steps=steps)
    shown = [(await preview(client, step["name"]))["result"]["preview"] for step in steps]  # type: ignore[arg-type]
    assert shown == [
        {"body": "Hi Ada"},
        {"subject": "S", "body": "B"},
        {"body": "C"},
        {"amount": 1, "unit": "days"},
        {"amount": 2, "unit": "hours"},
        {"amount": 3, "unit": "hours"},
        {"custom": {"a": "a"}},
    ]


async def test_preview_as_a_document(client: httpx.AsyncClient) -> None:
    await create(client)
    answer = await client.post("/v2/workflows/welcome/step/welcome-mail/preview/html", json={})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.text.startswith("<!DOCTYPE html>")
    other = await client.post("/v2/workflows/welcome/step/inbox/preview/html", json={})
    assert other.status_code == 400


async def test_layouts_of_a_preview(client: httpx.AsyncClient) -> None:
    body = {"email": {"body": "<i>frame</i>{{content}}", "editorType": "html"}}
    frame = {"layoutId": "main", "name": "Main", "controlValues": body}
    assert (await client.post("/v2/layouts", json=frame)).status_code == 201
    await create(client)
    mail = {"subject": "S", "body": "<p>text</p>", "editorType": "html"}

    async def shown(**more: Any) -> str:
        answer = await preview(client, "welcome-mail", controlValues={**mail, **more})
        text: str = answer["result"]["preview"]["body"]
        return text

    assert "frame" in await shown()
    assert "frame" in await shown(layoutId="main")
    assert "frame" not in await shown(layoutId=None)
