"""The published Python client against a server in its dialect."""

import asyncio
from typing import Any

import pytest
from novu_py import Novu, models

from tests.api.workflow_examples import welcome
from tidings.domain.scope import Scope

STEPS: list[dict[str, Any]] = [
    *welcome()["steps"],
    {"name": "Text", "type": "sms", "control_values": {"body": "Hi"}},
    {"name": "Ping", "type": "push", "control_values": {"subject": "Hi", "body": "You"}},
    {"name": "Chat", "type": "chat", "control_values": {"body": "Hi"}},
    {"name": "Wait", "type": "delay", "control_values": {"amount": 1, "unit": "hours"}},
    {"name": "Calm", "type": "throttle", "control_values": {"amount": 1, "unit": "hours"}},
    {"name": "Own", "type": "custom", "control_values": {"custom": {"a": 1}}},
]


def body(**more: Any) -> dict[str, Any]:
    steps = [
        {**step, "control_values": step.get("controlValues") or step["control_values"]}
        for step in STEPS
    ]
    for step in steps:
        step.pop("controlValues", None)
    return {
        "name": "Welcome",
        "workflow_id": "welcome",
        "active": True,
        "tags": ["onboarding"],
        "payload_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        "steps": steps,
        **more,
    }


async def create(novu: Novu, **more: Any) -> models.WorkflowResponseDto:
    dto = models.CreateWorkflowDto.model_validate(body(**more), by_name=True)
    answer = await asyncio.to_thread(novu.workflows.create, create_workflow_dto=dto)
    return answer.result


async def test_create_and_retrieve(novu: Novu) -> None:
    made = await create(novu)
    assert made.workflow_id == "welcome"
    assert made.status == "ACTIVE"
    assert made.origin == "novu-cloud"
    assert [step.slug.split("_st_")[0] for step in made.steps] == [
        "inbox", "gather", "welcome-mail", "text", "ping", "chat", "wait", "calm", "own",
    ]  # fmt: skip
    assert made.payload_example == {"name": "name"}
    for reference in ("welcome", made.id, made.slug):
        found = await asyncio.to_thread(novu.workflows.get, workflow_id=reference)
        assert found.result == made


async def test_list(novu: Novu) -> None:
    await create(novu)
    await create(novu, name="Other", workflow_id="other", tags=[], active=False)
    request = models.WorkflowControllerSearchWorkflowsRequest(
        limit=1, tags=["onboarding", "x"], status=[models.WorkflowStatusEnum.ACTIVE]
    )
    page = (await asyncio.to_thread(novu.workflows.list, request=request)).result
    assert [each.workflow_id for each in page.workflows] == ["welcome"]
    assert page.total_count == 1
    assert page.workflows[0].step_type_overviews[:2] == ["in_app", "digest"]


async def test_step_and_preview(novu: Novu) -> None:
    made = await create(novu)
    for step in made.steps:
        answer = await asyncio.to_thread(
            novu.workflows.steps.retrieve, workflow_id="welcome", step_id=step.step_id
        )
        assert answer.result.id == step.id
        assert answer.result.variables["type"] == "object"
        preview = await asyncio.to_thread(
            novu.workflows.steps.generate_preview,
            workflow_id="welcome",
            step_id=step.step_id,
            generate_preview_request_dto={"preview_payload": {"payload": {"name": "Ada"}}},
        )
        assert preview.result.preview_payload_example.payload == {"name": "Ada"}


async def test_update_keeps_the_ids_of_steps(novu: Novu) -> None:
    made = await create(novu)
    mail = made.steps[2]
    answer = await asyncio.to_thread(
        novu.workflows.update,
        workflow_id="welcome",
        update_workflow_dto=models.UpdateWorkflowDto.model_validate(
            {
                "name": "Hello",
                "active": True,
                "preferences": {"user": None},
                "steps": [{"_id": mail.id, "name": "Letter", "type": "email"}],
            }
        ),
    )
    [step] = answer.result.steps
    assert (step.id, step.step_id, step.name) == (mail.id, "welcome-mail", "Letter")
    assert step.control_values == mail.control_values
    patched = await asyncio.to_thread(
        novu.workflows.patch, workflow_id="welcome", patch_workflow_dto={"active": False}
    )
    assert patched.result.status == "INACTIVE"


async def test_sync_twice_keeps_the_ids(novu: Novu, other_scope: Scope) -> None:
    made = await create(novu)
    sent = models.SyncWorkflowDto(target_environment_id=other_scope.environment_id)
    first, second = [
        (
            await asyncio.to_thread(
                novu.workflows.sync, workflow_id="welcome", sync_workflow_dto=sent
            )
        ).result
        for _ in range(2)
    ]
    assert first.id != made.id
    assert second.id == first.id
    assert [step.id for step in second.steps] == [step.id for step in first.steps]
    assert [step.step_id for step in first.steps] == [step.step_id for step in made.steps]
    source = await asyncio.to_thread(novu.workflows.get, workflow_id="welcome")
    assert source.result.last_published_at is not None


async def test_diff_publish_and_tags(novu: Novu, scope: Scope, other_scope: Scope) -> None:
    await create(novu)
    target = other_scope.environment_id
    diff = await asyncio.to_thread(
        novu.environments.diff, target_environment_id=target, diff_environment_request_dto={}
    )
    assert diff.result.summary.has_changes
    published = await asyncio.to_thread(
        novu.environments.publish, target_environment_id=target, publish_environment_request_dto={}
    )
    assert published.result.summary.successful == 1
    diff = await asyncio.to_thread(
        novu.environments.diff, target_environment_id=target, diff_environment_request_dto={}
    )
    assert not diff.result.summary.has_changes
    tags = await asyncio.to_thread(novu.environments.get_tags, environment_id=scope.environment_id)
    assert [tag.name for tag in tags.result] == ["onboarding"]


async def test_layouts(novu: Novu) -> None:
    made = await asyncio.to_thread(
        novu.layouts.create, create_layout_dto={"layout_id": "main", "name": "Main"}
    )
    assert made.result.is_default
    changed = await asyncio.to_thread(
        novu.layouts.update,
        layout_id="main",
        update_layout_dto=models.UpdateLayoutDto.model_validate(
            {
                "name": "Frame",
                "controlValues": {"email": {"body": "<b>{{content}}</b>", "editorType": "html"}},
            }
        ),
    )
    assert changed.result.controls.values.email is not None
    assert changed.result.controls.values.email.body == "<b>{{content}}</b>"
    preview = await asyncio.to_thread(
        novu.layouts.generate_preview, layout_id="main", layout_preview_request_dto={}
    )
    assert preview.result.result.preview is not None
    assert "<b>" in preview.result.result.preview.body
    listed = await asyncio.to_thread(
        novu.layouts.list, request=models.LayoutsControllerListRequest(limit=10)
    )
    assert listed.result.total_count == 1
    copy = await asyncio.to_thread(
        novu.layouts.duplicate, layout_id="main", duplicate_layout_dto={"name": "Copy"}
    )
    assert not copy.result.is_default
    await asyncio.to_thread(novu.layouts.delete, layout_id=copy.result.layout_id)


async def test_delete_and_unknown(novu: Novu) -> None:
    await create(novu)
    await asyncio.to_thread(novu.workflows.delete, workflow_id="welcome")
    with pytest.raises(models.ErrorDto) as caught:
        await asyncio.to_thread(novu.workflows.get, workflow_id="welcome")
    assert caught.value.status_code == 404
