"""What the pages about workflows share: their frame, links, and how a step is put into words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from litestar import Response
from msgspec import UNSET

from tidings.domain.channels import CHANNELS
from tidings.domain.drafts import StepDraft
from tidings.domain.issues import Connections, integration_issue
from tidings.domain.workflows import Author, Step, StepSummary, StepType, Workflow
from tidings.web import steps_blocks
from tidings.web.visit import Visit

_LONGEST = 90
_SCHEME = re.compile(r"\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)", re.I)


class Words(msgspec.Struct, frozen=True):
    """A step type as people see it."""

    label: str
    icon: str
    does: str


STEP_WORDS: Mapping[StepType, Words] = {
    "in_app": Words("In-app message", "bell", "Shows a message in the inbox of your application"),
    "email": Words("E-mail", "mail", "Sends an e-mail, with blocks or HTML"),
    "sms": Words("SMS", "sms", "Sends a text message"),
    "push": Words("Push", "push", "Sends a push notification to devices"),
    "chat": Words("Chat", "chat", "Posts to Slack, Teams, Discord and others"),
    "delay": Words("Delay", "clock", "Waits before the next step"),
    "digest": Words("Digest", "digest", "Gathers events, then goes on once for all of them"),
    "throttle": Words("Throttle", "throttle", "Lets only so many runs through"),
    "custom": Words("Custom", "code", "Makes a result for later steps"),
}


def tinted(html: str, tint: str) -> str:
    """The document as a mailbox in that colour scheme shows it, whatever the visitor's is."""
    dark = tint == "dark"
    return _SCHEME.sub(
        lambda found: "(min-width:0)" if (found[1].lower() == "dark") == dark else "(max-width:0)",
        html,
    )


def place(thing: Any) -> str:
    """How a path names a workflow, step or layout: by its key, unless that means something else."""
    return str(thing.id if thing.key in ("new", ".", "..") else thing.key)


def author(visit: Visit) -> Author:
    return Author(visit.user.id, visit.user.name)


def drafts_of(workflow: Workflow) -> list[StepDraft]:
    """The steps as they are, to be put in another order, added to or taken from."""
    return [StepDraft(id=s.id, key=s.key, name=s.name, type=s.type) for s in workflow.steps]


def with_step(workflow: Workflow, changed: Step) -> list[StepDraft]:
    return [
        StepDraft(
            id=step.id,
            key=step.key,
            name=changed.name if step.id == changed.id else step.name,
            type=step.type,
            controls=changed.controls if step.id == changed.id else UNSET,
        )
        for step in workflow.steps
    ]


def issue_count(steps: Sequence[Step | StepSummary]) -> int:
    """What is wrong with the contents of the steps."""
    return sum(len(found) for step in steps for found in step.issues.values())


def delivery_issue(step: Step | StepSummary, connections: Connections) -> str | None:
    """Why the step could not deliver. An inbox that nobody has opened yet is no hindrance."""
    channel = next((channel for channel in CHANNELS if channel == step.type), None)
    issue = channel and integration_issue(channel, connections)
    return issue.message if issue and issue.issue_type == "MISSING_INTEGRATION" else None


def summary(step: Step) -> str:
    """The step in a line."""
    controls = step.controls
    if step.type in ("in_app", "email", "push", "sms", "chat"):
        body = controls.get("body")
        if step.type == "email" and controls.get("editorType") != "html":
            body = " ".join(steps_blocks.told(body)) if isinstance(body, str) else ""
        said = " ".join(str(controls.get("subject") or body or "").split())
        return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    return waiting(step)


def waiting(step: Step) -> str:
    """What a step that sends nothing does."""
    controls = step.controls
    if step.type == "custom":
        return "Makes a result for later steps"
    until = _until(controls)
    if step.type == "delay":
        return f"Waits {until}" if until else ""
    if step.type == "digest":
        key = controls.get("digestKey")
        return f"Gathers events {until}" + (f", apart by {key}" if key else "") if until else ""
    count = controls.get("threshold", 1)
    runs = "1 run" if count == 1 else f"{count} runs"
    if controls.get("dynamicKey"):
        return f"Lets {runs} through until {controls['dynamicKey']}"
    span = _span(controls)
    return f"Lets {runs} through every {span}" if span else ""


def _until(controls: Mapping[str, Any]) -> str:
    if controls.get("cron"):
        return f"until the next time of {controls['cron']}"
    if controls.get("dynamicKey"):
        return f"until {controls['dynamicKey']}"
    span = _span(controls)
    return f"for {span}" if span else ""


def _span(controls: Mapping[str, Any]) -> str:
    amount, unit = controls.get("amount"), controls.get("unit")
    if not amount or not isinstance(unit, str):
        return ""
    return f"1 {unit.removesuffix('s')}" if amount == 1 else f"{amount} {unit}"


_TABS = (
    ("steps", "Steps", ()),
    ("settings", "Settings", ("settings",)),
    ("payload", "Payload", ("payload",)),
    ("test", "Test run", ("test",)),
    ("versions", "Versions", ("versions",)),
    ("publish", "Publish", ("publish",)),
)


def page(
    visit: Visit, workflow: Workflow, tab: str, template: str, **context: Any
) -> Response[str]:
    """A page about one workflow, in the frame that all of them have."""
    tabs = [
        (key, label, visit.at("workflows", place(workflow), *steps)) for key, label, steps in _TABS
    ]
    return visit.page(
        f"workflows/{template}.html",
        title=context.pop("title", workflow.name),
        workflow=workflow,
        at=lambda *steps, **query: visit.at("workflows", place(workflow), *steps, **query),
        place=place,
        tabs=tabs,
        tab=tab,
        words=STEP_WORDS,
        **context,
    )
