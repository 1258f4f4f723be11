"""Bodies of workflows that tests send."""

from typing import Any

import httpx


def welcome(**more: Any) -> dict[str, Any]:
    return {
        "name": "Welcome",
        "workflowId": "welcome",
        "active": True,
        "tags": ["onboarding"],
        "steps": [
            {
                "name": "Inbox",
                "type": "in_app",
                "controlValues": {"subject": "Hello {{subscriber.firstName}}", "body": "Hi"},
            },
            {"name": "Gather", "type": "digest", "controlValues": {"amount": 5, "unit": "minutes"}},
            {
                "name": "Welcome mail",
                "type": "email",
                "controlValues": {
                    "subject": "{{steps.gather.eventCount}} things, {{payload.name}}",
                    "body": "<p>{{payload.name}}</p>",
                    "editorType": "html",
                },
            },
        ],
        **more,
    }


async def create(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    answer = await client.post("/v2/workflows", json=welcome(**more))
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def of_step(
    client: httpx.AsyncClient, type: str, controls: Any, **more: Any
) -> dict[str, Any]:
    """The only step of a workflow made for it, as it is answered."""
    step = {"name": "It", "type": type, "controlValues": controls}
    made = await create(client, steps=[step], **more)
    found: dict[str, Any] = made["steps"][0]
    return found
