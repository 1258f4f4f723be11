"""Layouts: the frames of e-mails."""

from typing import Any

import httpx
import pytest

from tests.api.workflow_examples import create, of_step


async def add(client: httpx.AsyncClient, key: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("/v2/layouts", json={"layoutId": key, "name": key, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def body(text: str, editor: str = "html") -> dict[str, Any]:
    return {"email": {"body": text, "editorType": editor}}


async def test_a_new_layout_has_the_built_in_frame(client: httpx.AsyncClient) -> None:
    made = await add(client, "main")
    assert made["isDefault"] is True
    assert "{{ content }}" in made["controls"]["values"]["email"]["body"]
    assert made["type"] == "REGULAR"
    for reference in ("main", made["_id"], made["slug"]):
        assert (await client.get(f"/v2/layouts/{reference}")).json() == made


async def test_one_layout_is_the_default(client: httpx.AsyncClient) -> None:
    await add(client, "a")
    assert (await add(client, "b"))["isDefault"] is False
    changed = await client.put("/v2/layouts/b", json={"name": "B", "isDefault": True})
    assert changed.json()["isDefault"] is True
    listed = (await client.get("/v2/layouts?orderBy=name&orderDirection=ASC")).json()
    assert [each["isDefault"] for each in listed["layouts"]] == [False, True]
    assert listed["totalCount"] == 2
    refused = await client.patch("/v2/layouts/b", json={"isDefault": False})
    assert refused.status_code == 400


@pytest.mark.parametrize(
    "text", ["no place", "{{ content", "{{ content | nope }}", "a\0{{content}}"]
)
async def test_a_layout_needs_a_place_for_the_content(client: httpx.AsyncClient, text: str) -> None:
    answer = await client.post(
        "/v2/layouts", json={"layoutId": "x", "name": "X", "controlValues": body(text)}
    )
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["controlValues.email.body"]


async def test_a_used_layout_stays(client: httpx.AsyncClient) -> None:
    await add(client, "main")
    made = await add(client, "other")
    controls = {"subject": "S", "body": "B", "editorType": "html", "layoutId": made["_id"]}
    step = await of_step(client, "email", controls)
    assert step["controlValues"]["layoutId"] == "other"
    usage = await client.get("/v2/layouts/other/usage")
    assert usage.json() == {"workflows": [{"name": "Welcome", "workflowId": "welcome"}]}
    refused = await client.delete("/v2/layouts/other")
    assert refused.status_code == 400
    assert "welcome" in refused.json()["message"]
    await client.delete("/v2/workflows/welcome")
    assert (await client.delete("/v2/layouts/other")).status_code == 204


async def test_the_default_stays_while_there_are_others(client: httpx.AsyncClient) -> None:
    await add(client, "a")
    await add(client, "b")
    assert (await client.delete("/v2/layouts/a")).status_code == 400
    assert (await client.delete("/v2/layouts/b")).status_code == 204
    assert (await client.delete("/v2/layouts/a")).status_code == 204
    assert (await client.delete("/v2/layouts/a")).status_code == 404


async def test_a_layout_that_comes_to_be_mends_the_issue(client: httpx.AsyncClient) -> None:
    controls = {"subject": "S", "body": "B", "editorType": "html", "layoutId": "later"}
    step = await of_step(client, "email", controls)
    assert list(step["issues"]["controls"]) == ["layoutId"]
    assert (await client.get("/v2/workflows/welcome")).json()["status"] == "ERROR"
    await add(client, "later")
    mended = (await client.get("/v2/workflows/welcome")).json()
    assert (mended["status"], mended["version"]) == ("ACTIVE", 1)


async def test_copy_and_preview(client: httpx.AsyncClient) -> None:
    await add(client, "main", controlValues=body("<i>x</i>{{content}}{{subscriber.firstName}}"))
    copy = await client.post("/v2/layouts/main/duplicate", json={"name": "Copy"})
    assert copy.status_code == 201
    assert copy.json()["layoutId"].startswith("main-")
    shown = await client.post("/v2/layouts/main/preview", json={})
    assert shown.status_code == 201
    assert "<i>x</i>" in shown.json()["result"]["preview"]["body"]
    broken = await client.post("/v2/layouts/main/preview", json={"controlValues": body("{{ x")})
    assert broken.json()["result"]["error"]


async def test_used_layout_identifier_gets_a_suffix(client: httpx.AsyncClient) -> None:
    await add(client, "main")
    assert (await add(client, "main"))["layoutId"].startswith("main-")
    await create(client)
