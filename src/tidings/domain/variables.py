"""What the templates of a step may name: the subscriber, the payload, results of earlier steps."""

from collections.abc import Mapping
from typing import Any

from tidings.domain import schemas
from tidings.domain.schemas import Schema
from tidings.domain.workflows import Workflow

_TEXT = {"type": "string"}
_OPEN = {"type": "object", "additionalProperties": True}

SUBSCRIBER: Schema = {
    "type": "object",
    "properties": {
        "subscriberId": {"type": "string", "example": "ada"},
        "firstName": {"type": "string", "example": "Ada"},
        "lastName": {"type": "string", "example": "Lovelace"},
        "email": {"type": "string", "format": "email"},
        "phone": {"type": "string", "example": "+15551234567"},
        "avatar": {"type": "string", "example": "https://example.com/avatar.png"},
        "locale": {"type": "string", "example": "en_US"},
        "timezone": {"type": "string", "example": "Europe/Paris"},
        "isOnline": {"type": "boolean"},
        "lastOnlineAt": {"type": "string", "format": "date-time"},
        "data": _OPEN,
    },
    "additionalProperties": False,
}

WORKFLOW: Schema = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "description": _TEXT,
        "tags": {"type": "array", "items": _TEXT},
        "severity": _TEXT,
        "workflowId": _TEXT,
    },
    "additionalProperties": False,
}

CONTEXT: Schema = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "properties": {"id": _TEXT, "data": _OPEN},
        "additionalProperties": False,
    },
}


def schema(payload: Schema, steps: Mapping[str, Schema]) -> Schema:
    """The whole: `steps` has the results of the earlier steps by their stepId."""
    return {
        "type": "object",
        "properties": {
            "subscriber": SUBSCRIBER,
            "payload": payload,
            "steps": {
                "type": "object",
                "properties": dict(steps),
                "additionalProperties": False,
            },
            "workflow": WORKFLOW,
            "actor": SUBSCRIBER,
            "context": CONTEXT,
            "env": _OPEN,
        },
        "required": ["subscriber", "payload"],
        "additionalProperties": False,
    }


def checked_against(payload_schema: Schema | None) -> Schema:
    """The payload for the check of templates: anything goes while it has no schema."""
    return _OPEN if payload_schema is None else schemas.inlined(payload_schema)


def payload_of(workflow: Workflow) -> Schema:
    """The payload as people see it: its schema, else what the templates name."""
    if workflow.payload_schema is not None:
        return schemas.inlined(workflow.payload_schema)
    named = [path for step in workflow.steps for path in step.uses if path.startswith("payload.")]
    return {
        **schemas.from_use(path.removeprefix("payload.") for path in named),
        "additionalProperties": True,
    }


def example(payload: Schema, steps: Mapping[str, Schema]) -> dict[str, Any]:
    """Sample values for a preview."""
    sample = schemas.example(payload)
    return {
        "subscriber": schemas.example(SUBSCRIBER),
        "payload": sample if isinstance(sample, dict) else {},
        "steps": {key: schemas.example(result) for key, result in steps.items()},
    }


LAYOUT: Schema = {
    "type": "object",
    "properties": {
        "content": {"type": "string"},
        "subscriber": SUBSCRIBER,
        "workflow": WORKFLOW,
        "context": CONTEXT,
        "env": _OPEN,
    },
    "required": ["content"],
    "additionalProperties": False,
}
"""What a layout may name: the body of the e-mail is its `content`."""
